#pragma once

#include <optional>
#include <string>

#include "cluster/profile_input.h"
#include "phase/kubernetes/overview.h"
#include "port/host.h"
#include "run/run_target.h"

namespace ichor {

/// Looks at the Kubernetes layers of the profile's cluster with the kubeconfig of `file`, or else
/// of the state folder; with `patience` not before all is well, or so much time is over. Nothing if
/// there is no kubeconfig yet, or it cannot be used.
std::optional<Overview> look_at_kubernetes(const std::string& file, const ProfileInput& input,
                                           const RunTarget& target, Duration patience, Host& host);

/// Shows layers and nodes.
void show_layers(const Overview& view, Host& host);

/// The names of the layers that are not as the profile wants them.
std::vector<std::string> layers_waiting(const Overview& view);

}  // namespace ichor
