#pragma once

#include "phase/kubernetes/course.h"

namespace ichor {

/// Whether the Secrets that phase 0 makes are in the cluster with all their keys: what phase 2
/// installs reads them, above all the token of 1Password Connect. Stops the phase and says how to
/// make one that is missing.
bool finds_bootstrap_secrets(Course& course);

/// The sealed-secrets key pair, once all nodes are Ready and before anything that may bring its
/// controller. One that was just made is kept before it is sent, and only for a cluster that has
/// none. True if the plan has no such key.
bool sends_sealed_key(Course& course);

}  // namespace ichor
