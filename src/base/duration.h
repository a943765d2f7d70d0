#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace ichor {

/// "90s", "5m", "1h30m", "500ms", "1.5s": numbers with units, largest unit first as people write
/// it, at most 1000 hours. A number without unit is no duration, and neither is a negative one.
std::optional<Duration> parse_duration(std::string_view text);

}  // namespace ichor
