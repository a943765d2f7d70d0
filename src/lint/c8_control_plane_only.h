#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// C8: without workers, pods are allowed on control planes and the kubelet keeps resources back.
void lint_control_plane_only(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
