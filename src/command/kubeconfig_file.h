#pragma once

#include <string>

#include "command/desk.h"
#include "command/profile_input.h"
#include "command/workspace.h"

namespace ichor {

/// Where other programs reach the cluster's API; empty: where the profile says.
struct OutsideView {
  std::string endpoint;       // of the profile
  std::string reached_under;  // what they must use instead
};

/// What becomes of a kubeconfig that is there already; see command/kubeconfig_merge.h.
enum class Placing { replace, merge, merge_by_force };

/// Puts the kubeconfig that the run left in the state folder where people want it. False if there
/// is none.
Result<bool> export_kubeconfig(const std::string& path, const OutsideView& outside,
                               Workspace& space, Desk& desk, Placing placing = Placing::replace);

}  // namespace ichor
