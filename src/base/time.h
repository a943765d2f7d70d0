#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace ichor {

using Duration = std::chrono::nanoseconds;

/// Marks time points of the monotonic clock that the world hands in (async/clock.h). It has no
/// now(): code below main.cc must not ask the system.
struct Monotonic {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<Monotonic>;
  static constexpr bool is_steady = true;
};

/// For deadlines, delays and order within a run. It never jumps.
using MonoTime = Monotonic::time_point;

/// Milliseconds since 1970 by the wall clock: for people and certificates, never for order.
struct WallTime {
  std::int64_t unix_ms{0};
};

inline constexpr MonoTime kNever = MonoTime::max();

/// `at + delay` that stays at kNever instead of overflowing.
constexpr MonoTime later(MonoTime at, Duration delay) {
  return delay >= kNever - at ? kNever : at + delay;
}

/// "1.5s", "2m05s", "350ms": as people read a duration.
std::string to_text(Duration duration);

}  // namespace ichor
