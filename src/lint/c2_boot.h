#pragma once

#include <string_view>
#include <vector>

#include "lint/rules.h"
#include "lint/settings.h"

namespace ichor {

/// C2: kernel arguments of machine.install are an error where the boot loader takes its command
/// line from the unified kernel image, and the finding says which schematic to use instead.
void lint_boot(const LintInput& input, std::vector<Finding>& findings);

/// Why the boot loader takes no arguments from a node's config; empty if it does.
std::string_view fixed_command_line(const LintInput& input, const NodeSettings& settings);

}  // namespace ichor
