#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/desk.h"
#include "model/cluster_profile.h"
#include "model/node_view.h"
#include "phase/preflight_checks.h"

namespace ichor {

/// The system extensions that the profile's schematic asks for, by the names that nodes give them:
/// "qemu-guest-agent". Nothing where the profile knows its schematic by the ID alone, which does
/// not tell them.
std::optional<std::vector<std::string>> wanted_extensions(const ClusterProfile& profile,
                                                          const std::string& folder, Desk& desk);

/// Whether the node has them. A warning at most: an image brings its own name for what it has, and
/// a machine that is not installed yet gets them with the install.
Check extension_check(const ClusterProfile& profile,
                      const std::optional<std::vector<std::string>>& wanted, const NodeView& view);

}  // namespace ichor
