#include "base/time.h"

#include <fmt/format.h>

namespace ichor {

std::string to_text(Duration duration) {
  using std::chrono::milliseconds;
  const auto total_ms = std::chrono::duration_cast<milliseconds>(duration).count();
  if (total_ms < 0) return "-" + to_text(-duration);
  if (total_ms < 1000) return fmt::format("{}ms", total_ms);
  const auto seconds = total_ms / 1000;
  if (seconds < 60) {
    const auto tenths = total_ms % 1000 / 100;
    return tenths == 0 ? fmt::format("{}s", seconds) : fmt::format("{}.{}s", seconds, tenths);
  }
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
}

}  // namespace ichor
