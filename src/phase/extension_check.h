#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "model/node_view.h"
#include "phase/preflight_checks.h"

namespace ichor {

/// Whether the node has them. A warning at most: an image brings its own name for what it has, and
/// a machine that is not installed yet gets them with the install.
Check extension_check(const ClusterProfile& profile,
                      const std::optional<std::vector<std::string>>& wanted, const NodeView& view);

}  // namespace ichor
