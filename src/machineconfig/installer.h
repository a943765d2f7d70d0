#pragma once

#include <string>

#include "model/cluster_profile.h"

namespace ichor {

/// The image a node installs: the profile's own, or the Image Factory's for the node's or the
/// cluster's schematic, or the plain one of the release.
std::string installer_image(const TalosPlan& talos, const NodePlan& node);

}  // namespace ichor
