#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// Of C9: patches of the v1alpha1 document that say what a typed document of the generated config
/// says, in a cluster whose contract has those documents.
void lint_old_form(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
