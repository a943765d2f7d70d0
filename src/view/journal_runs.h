#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/journal_record.h"

namespace ichor {

/// The records of one run, in order; never empty.
using JournalRun = std::vector<const JournalRecord*>;

/// The runs of a journal, in the order in which they started. `records` must outlive them.
std::vector<JournalRun> runs_of(const std::vector<JournalRecord>& records);

/// The first record of a kind; null if there is none.
const JournalRecord* find_record(const JournalRun& run, RecordKind kind);

/// What came of an intent; null: the run ended before the answer.
const JournalRecord* outcome_of(const JournalRun& run, const JournalRecord& intent);

/// "ApplyConfiguration", "server-side apply of Namespace/flux-system".
std::string action_text(const JournalRecord& intent);

/// What a record says, in one line; empty for those that are part of another line.
std::string record_text(const JournalRun& run, const JournalRecord& record);

/// The same while the run goes on: first that a change is sent, later what came of it.
std::string live_text(const JournalRun& run, const JournalRecord& record);

/// "exit 0: infra is ready".
std::string verdict_text(const JournalRun& run);

/// "2m30s".
std::string spent_text(std::int64_t from_ms, std::int64_t to_ms);

/// "2026-01-31 12:00:00Z".
std::string utc_text(std::int64_t unix_ms);

}  // namespace ichor
