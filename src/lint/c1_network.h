#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// C1: networks are networks and do not overlap; gateway, VIP and nodes lie in the nodes' network
/// and are different addresses; the endpoint is no worker; no name, address, MAC, VM id, UUID or
/// serial appears twice; a node that moves has a known link; a VLAN that nodes tag is declared
/// once.
void lint_network(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
