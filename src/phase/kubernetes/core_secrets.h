#pragma once

#include "async/context.h"
#include "async/task.h"
#include "phase/kubernetes/phase_run.h"

namespace ichor {

/// Whether the Secrets that phase 0 makes are in the cluster with all their keys: what phase 2
/// installs reads them, above all the token of 1Password Connect. Stops the phase and says how to
/// make one that is missing. A dry run takes them for granted.
Task<bool> find_bootstrap_secrets(Context context, PhaseRun& run);

/// The sealed-secrets key pair, once all nodes are Ready and before anything that may bring its
/// controller. True if the plan has none.
Task<bool> send_sealed_key(Context context, PhaseRun& run);

}  // namespace ichor
