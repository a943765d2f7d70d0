#pragma once

#include <string_view>

namespace ichor {

/// The page docs/commands/PAGE.md as it was when this binary was built; empty if there is none.
std::string_view help_page(std::string_view page);

}  // namespace ichor
