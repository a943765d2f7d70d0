#pragma once

#include "async/context.h"
#include "async/task.h"
#include "phase/kubernetes/phase_run.h"

namespace ichor {

/// Phase 2: the releases of the core stack in the order of their needs, kubelet-serving requests
/// approved beside them, and the gates: what needs a network waits until every node has one.
Task<void> run_core(Context context, PhaseRun& run);

}  // namespace ichor
