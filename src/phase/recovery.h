#pragma once

#include <string>

#include "model/cluster_profile.h"
#include "model/node.h"

namespace ichor {

/// What an operator can type for a node that stays in a stage: commands that name the node.
std::string recovery_for(const NodePlan& plan, Stage stage);

}  // namespace ichor
