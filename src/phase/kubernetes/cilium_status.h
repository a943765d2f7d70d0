#pragma once

#include "async/context.h"
#include "async/task.h"
#include "phase/kubernetes/phase_run.h"

namespace ichor {

/// Cilium works: agents and operator by their objects, then by Cilium's own word, if the program
/// `cilium` is installed.
Task<void> pass_cilium(Context context, PhaseRun& run);

}  // namespace ichor
