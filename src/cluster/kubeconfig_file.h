#pragma once

#include <string>

#include "cluster/kubeconfig_merge.h"
#include "cluster/profile_input.h"
#include "cluster/workspace.h"
#include "port/host.h"

namespace ichor {

/// Where other programs reach the cluster's API; empty: where the profile says.
struct OutsideView {
  std::string endpoint;       // of the profile
  std::string reached_under;  // what they must use instead
};

/// The cluster's kubeconfig for programs other than ichor, which know nothing of a lab's addresses.
SecretString seen_from_outside(const SecretString& kubeconfig, const OutsideView& outside);

/// Whether the cluster's kubeconfig could be merged into the file at `path`; asked before a run,
/// because a refusal is bad news after twenty minutes.
Result<void> may_merge(const std::string& path, const MergeOptions& options, const Workspace& space,
                       Host& host);

/// Merges the kubeconfig that the run left in the state folder into the file where people want it,
/// with a backup of what was there. False if there is none.
Result<bool> export_kubeconfig(const std::string& path, const OutsideView& outside,
                               const MergeOptions& options, Workspace& space, Host& host);

}  // namespace ichor
