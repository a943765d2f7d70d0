#pragma once

#include <cstdint>
#include <functional>

#include "base/time.h"

namespace ichor {

/// The seam for time: what time it is, and "call this later". One thread; callbacks never run
/// inside call_at, so the caller's state is settled when they do.
///
/// Bodies: sim/virtual_clock.h (jumps to the next callback), os/loop_clock.h (the socket loop).
class Clock {
 public:
  /// Names a callback that has not run yet. Zero is never handed out.
  using CallId = std::uint64_t;
  using Callback = std::function<void()>;

  virtual ~Clock() = default;

  virtual MonoTime now() const = 0;
  virtual WallTime wall() const = 0;

  /// Runs `callback` once at `when`, or as soon as the present callback has returned if `when` has
  /// passed. Calls due at the same time run in the order in which they were asked for.
  virtual CallId call_at(MonoTime when, Callback callback) = 0;

  /// Forgets a callback; one that ran already is no mistake.
  virtual void cancel(CallId id) = 0;
};

}  // namespace ichor
