#pragma once

#include <string>

#include "command/desk.h"
#include "command/early.h"
#include "command/profile_input.h"
#include "command/workspace.h"

namespace ichor {

/// Where the kubeconfig goes for people: what was asked for, or kubernetes/kubeconfig beside the
/// profile.
std::string kubeconfig_path(const std::string& wanted, const ProfileInput& input);

/// Puts the kubeconfig that the run left in the state folder where people want it. Nothing happens
/// if there is none.
Result<bool> export_kubeconfig(const std::string& path, Workspace& space, Desk& desk);

}  // namespace ichor
