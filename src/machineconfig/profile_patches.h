#pragma once

#include <map>
#include <vector>

#include "machineconfig/patch/patch.h"
#include "model/cluster_profile.h"

namespace ichor {

/// The patches that a profile names, read.
struct ProfilePatches {
  std::vector<Patch> all, control_plane, worker;
  std::map<NodeName, std::vector<Patch>> nodes;

  /// Those of one node in the order in which they take effect: all, role, node.
  std::vector<Patch> of(const NodePlan& node) const;
};

/// The version by whose schema a profile's patches are read.
int schema_minor(const ClusterProfile& profile);

/// What is wrong with a profile's patches: those that touch the cluster's secrets or cannot be
/// applied (errors), and those that change nothing on any node (warnings). Secrets are not needed.
std::vector<Finding> check_patches(const ClusterProfile& profile, const ProfilePatches& patches);

}  // namespace ichor
