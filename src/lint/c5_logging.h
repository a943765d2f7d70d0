#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// C5: kernel logging is in the schematic and not in machine.install; destinations are
/// `udp://host:port` or `tcp://host:port` with format json_lines; logging is on if and only if the
/// variable loki_enabled is true.
void lint_logging(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
