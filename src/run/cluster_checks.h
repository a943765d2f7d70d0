#pragma once

#include <vector>

#include "cluster/profile_input.h"
#include "cluster/workspace.h"
#include "model/node_view.h"
#include "phase/preflight_checks.h"
#include "port/host.h"
#include "run/run_target.h"

namespace ichor {

/// Whether a machine has the VIP. Looks from this machine, which takes seconds if none has it.
Check vip_check(const ProfileInput& input, const RunTarget& target, const JournalFacts& facts,
                Host& host);

/// Whether our own credentials are good.
Check credentials_check(const ProfileInput& input, const Workspace& space, Host& host);

/// What is checked once for the cluster and not for each node: both of these.
std::vector<Check> cluster_checks(const ProfileInput& input, const RunTarget& target,
                                  const Workspace& space, Host& host);

/// The programs that the profile's Kubernetes phases run, with their versions.
std::vector<Check> tool_checks(const ClusterProfile& profile, const RunTarget& target, Host& host);

/// Whether the registries have the installer images of the nodes, as far as they answer to this
/// machine without credentials. Nodes ask again themselves, perhaps through a mirror.
std::vector<Check> image_checks(const ClusterProfile& profile, const RunTarget& target, Host& host);

/// Two nodes of the profile that are the same machine.
Check twin_check(const ClusterView& seen);

/// The errors among them.
std::vector<Finding> failures_of(const std::vector<Check>& checks);

}  // namespace ichor
