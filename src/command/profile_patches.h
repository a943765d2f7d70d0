#pragma once

#include <string>
#include <vector>

#include "command/desk.h"
#include "machineconfig/profile_patches.h"
#include "model/finding.h"

namespace ichor {

/// Reads the patches that a profile names. In `patches_dir` these are the files *.yaml of the
/// folder itself and of `all` (or `global`) for every node, those of `controlplane` (or
/// `controller`) and `worker` for a role, and those of a folder with a node's name for that node,
/// each in the order of their names. `patches` of a node are files, or patches written out, and
/// come last. What cannot be read is added to `findings` as an error.
ProfilePatches read_profile_patches(const ClusterProfile& profile, const std::string& folder,
                                    std::vector<Finding>& findings, Desk& desk);

}  // namespace ichor
