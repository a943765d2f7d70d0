#pragma once

#include <optional>

#include "model/cluster_profile.h"
#include "model/decision.h"
#include "model/node_view.h"

namespace ichor {

/// Talos 1.14 installs itself while it boots with its config, and then reboots: until then it has
/// its config in memory only, and starts no etcd. Nothing if the node is through with it.
std::optional<Wait> wait_for_install(const NodePlan& plan, const NodeView& view);

}  // namespace ichor
