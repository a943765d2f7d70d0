#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ichor {

/// Stricter than nearest_name() of base/nearest_name.h, because flags and commands are short: every
/// unknown flag of one letter would be near to all the others.
///
/// The known word that `typed` was probably meant to be, or empty if none is near: at most two
/// letters added, dropped, changed or swapped, and fewer than half of what was typed.
std::string nearest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace ichor
