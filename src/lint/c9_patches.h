#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// C9: patches have keys that Talos knows, with values of the right type; none changes a CA or a
/// token; each is for some node; and each has an effect.
void lint_patches(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
