#include "sim/trace.h"

#include <fmt/format.h>

namespace ichor::sim {

void Trace::line(MonoTime at, const std::string& text) const {
  if (!listener_) return;
  const auto us =
      std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count();
  listener_(fmt::format("{:>11.3f} {}", static_cast<double>(us) / 1e6, text));
}

}  // namespace ichor::sim
