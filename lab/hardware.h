#pragma once

#include "model/cluster_profile.h"
#include "sim/node/spec.h"

namespace ichor::lab {

/// A machine that fits what the profile says about a node: its MAC, UUID and serial where they are
/// given, and a disk that `disk` or the selector means.
sim::NodeSpec machine_for(const NodePlan& plan, sim::Personality personality,
                          sim::Platform platform);

/// The name of the machine's only link.
std::string link_of(const NodePlan& plan);

}  // namespace ichor::lab
