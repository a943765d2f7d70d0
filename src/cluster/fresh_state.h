#pragma once

#include <memory>

#include "port/cluster_state.h"

namespace ichor {

/// A state folder as another one is, but as if it had no kubeconfig yet, so that a run fetches it
/// again.
std::unique_ptr<ClusterState> without_kubeconfig(std::unique_ptr<ClusterState> state);

}  // namespace ichor
