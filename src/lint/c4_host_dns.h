#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// C4: where the CNI is brought by the user and cluster DNS is forwarded to the host,
/// 169.254.116.108 is an address of the loopback link.
void lint_host_dns(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
