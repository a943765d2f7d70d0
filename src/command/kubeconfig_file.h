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

/// The API server's address in the kubeconfig, and the one under which tools on this machine reach
/// it: they differ on a lab only. Empty: they are the same.
struct OutsideView {
  std::string endpoint;
  std::string reached_under;
};

/// Puts the kubeconfig that the run left in the state folder where people want it. Nothing happens
/// if there is none.
Result<bool> export_kubeconfig(const std::string& path, const OutsideView& outside,
                               Workspace& space, Desk& desk);

}  // namespace ichor
