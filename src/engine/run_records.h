#pragma once

#include <optional>

#include "engine/phase_loop.h"
#include "model/journal_record.h"
#include "model/node_view.h"
#include "model/run_result.h"
#include "phase/ledger.h"
#include "phase/phase.h"

namespace ichor {

/// What a run keeps in the journal for people; see model/run_record.h. Nothing where there is
/// nothing to tell.

/// How a node, or the cluster, came through a step. A step that found everything in place, and one
/// that was cancelled, has nothing to tell.
std::optional<JournalRecord> record_of_step(const NodeName& node, const Phase& phase,
                                            const PhaseEnd& end, Duration took);

/// Who was in etcd when it was found healthy.
std::optional<JournalRecord> record_of_members(const Phase& phase, const PhaseEnd& end,
                                               const ClusterView& view);

/// The end of a run: its findings, and its verdict.
Task<void> write_end(Ledger& ledger, const RunResult& result);

}  // namespace ichor
