#pragma once

#include "async/context.h"
#include "async/task.h"
#include "phase/kubernetes/phase_run.h"

namespace ichor {

/// Phase 0: namespaces, then the Secrets that everything later rests on. What 1Password keeps is
/// read first, so that nothing is sent where a secret cannot be had.
Task<void> run_secrets(Context context, PhaseRun& run);

}  // namespace ichor
