#pragma once

#include "async/context.h"
#include "async/task.h"
#include "phase/kubernetes/phase_run.h"

namespace ichor {

/// Phase 3: reads only. What the repository says builds cleanly, and Flux has made all of it work.
Task<void> run_validation(Context context, PhaseRun& run);

}  // namespace ichor
