#pragma once

#include <vector>

#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "model/finding.h"

namespace ichor {

/// What the nodes would refuse, found before anything is sent: what validate_config() says of each
/// config, and two nodes with one hostname. Errors and warnings.
std::vector<Finding> check_configs(const ClusterProfile& profile, const ConfigSet& configs);

}  // namespace ichor
