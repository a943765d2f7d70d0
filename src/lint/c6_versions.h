#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// C6: Talos and Kubernetes fit together, extensions exist for the version, and etcd has an odd
/// number of members.
void lint_versions(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
