#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// C2: kernel arguments of machine.install are an error where the boot loader takes its command
/// line from the unified kernel image, and the finding says which schematic to use instead.
void lint_boot(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
