#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/request.h"

namespace ichor {

/// A integer, nothing around it.
std::optional<std::uint64_t> to_seed(std::string_view text);

/// "A..B", or "A" alone; returns what is wrong with the text.
std::string take_range(const std::string& text, SeedRange& range);

}  // namespace ichor
