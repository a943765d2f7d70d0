#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"

namespace ichor {

/// Findings as SARIF 2.1.0, which code hosts show beside the lines of a change. Ends with a
/// newline.
std::string to_sarif(const std::vector<Finding>& findings, std::string_view version);

}  // namespace ichor
