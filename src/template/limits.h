#pragma once

#include <cstddef>
#include <cstdint>

namespace ichor::jinja {

/// What one rendering may cost. Every expression evaluated, every element visited or made and every
/// 32 bytes of text made are one step, so the number of steps bounds both time and memory.
struct Limits {
  std::int64_t steps_max{5'000'000};
  std::size_t output_bytes_max{16u << 20};  // also of any single text
  std::size_t source_bytes_max{4u << 20};   // of each template
  int depth_max{700};                       // expressions and statements being evaluated at once
  int include_depth_max{32};
  std::int64_t range_max{100'000};
};

}  // namespace ichor::jinja
