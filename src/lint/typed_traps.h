#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// Of C9: patches of typed documents that Talos accepts, or refuses in words that do not help, and
/// after which a cluster does not work.
void lint_typed_traps(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
