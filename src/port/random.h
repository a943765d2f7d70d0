#pragma once

#include <cstdint>

namespace ichor {

/// The seam for chance: jitter and run ids. Keys and certificates do not come from here.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;

  /// Uniform in [0, 1).
  double fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
};

}  // namespace ichor
