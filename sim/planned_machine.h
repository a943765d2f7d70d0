#pragma once

#include "model/cluster_profile.h"
#include "sim/node/spec.h"

namespace ichor::sim {

/// A machine that fits the plan, with a disk at `plan.disk` and what the plan leaves open made of
/// its name; without addresses and, where the plan has none, without MAC.
NodeSpec machine_for(const NodePlan& plan);

}  // namespace ichor::sim
