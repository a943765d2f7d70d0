#pragma once

#include <vector>

#include "command/desk.h"
#include "command/ground.h"
#include "command/profile_input.h"
#include "command/workspace.h"
#include "model/node_view.h"
#include "phase/preflight_checks.h"

namespace ichor {

/// Whether somebody has the VIP. Looks from this machine, which takes seconds if nobody has it.
Check vip_check(const ProfileInput& input, const Ground& ground, const JournalFacts& facts,
                Desk& desk);

/// Whether our own credentials are good.
Check credentials_check(const ProfileInput& input, const Workspace& space, Desk& desk);

/// What is checked once for the cluster and not for each node: both of these.
std::vector<Check> site_checks(const ProfileInput& input, const Ground& ground,
                               const Workspace& space, Desk& desk);

/// The programs that the profile's Kubernetes phases run, with their versions.
std::vector<Check> tool_checks(const ClusterProfile& profile, Desk& desk);

/// Two nodes of the profile that are the same machine.
Check twin_check(const ClusterView& seen);

/// The errors among them.
std::vector<Finding> failures_of(const std::vector<Check>& checks);

}  // namespace ichor
