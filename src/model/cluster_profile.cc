#include "model/cluster_profile.h"

#include <algorithm>

namespace ichor {

const NodePlan* ClusterProfile::find(const NodeName& name) const {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const NodePlan& node) { return node.name == name; });
  return found == nodes.end() ? nullptr : &*found;
}

Trust ClusterProfile::trust_in(const NodePlan& plan) const {
  const bool pinned = !pins.empty() || !plan.pin.value().empty();
  return pinned ? Trust::pin : trust;
}

int ClusterProfile::control_plane_count() const {
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(), [](const NodePlan& node) {
    return node.role == Role::control_plane;
  }));
}

}  // namespace ichor
