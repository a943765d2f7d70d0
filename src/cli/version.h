#pragma once

#include <string_view>

namespace ichor {

/// "0.1.0".
std::string_view version();
/// The commit this binary was built from, or "unknown".
std::string_view commit();

}  // namespace ichor
