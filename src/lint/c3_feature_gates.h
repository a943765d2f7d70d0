#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// C3: a feature gate that kubelet and API server must agree on is the same on both, and no gate is
/// on at one and off at the other.
void lint_feature_gates(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
