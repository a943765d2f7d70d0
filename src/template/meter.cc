#include "template/meter.h"

#include <fmt/format.h>

namespace ichor::jinja {

Outcome<void> Meter::spend(std::int64_t steps) {
  // Compared before the addition, which could overflow.
  if (steps > limits_.steps_max - steps_) {
    return trouble(fmt::format("the template takes more than {} steps", limits_.steps_max),
                   "look for a loop that multiplies, or split the template");
  }
  steps_ += steps;
  return {};
}

Outcome<void> Meter::spend_text(std::size_t bytes) {
  if (bytes > limits_.output_bytes_max) {
    return trouble(fmt::format("a text grows beyond {} bytes", limits_.output_bytes_max),
                   "look for a text that is repeated or joined too often");
  }
  return spend(static_cast<std::int64_t>(bytes / 32));
}

Outcome<void> Meter::spend_items(std::int64_t count) {
  if (count > limits_.steps_max) return spend(limits_.steps_max + 1);
  return spend(count);
}

Outcome<void> Meter::Level::ok() const {
  if (meter_.depth_ <= meter_.limits_.depth_max) return {};
  return trouble(fmt::format("more than {} levels of nesting", meter_.limits_.depth_max),
                 "look for a macro that calls itself without end, or for data nested in itself");
}

}  // namespace ichor::jinja
