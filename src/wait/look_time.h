#pragma once

#include "async/context.h"

namespace ichor {

/// When something was seen, on both clocks: the monotonic one stands still while this machine
/// sleeps (L2), and the wall clock can be set.
struct LookTime {
  MonoTime mono{};
  WallTime wall{};

  static LookTime now(Context context) { return {context.now(), context.clock->wall()}; }

  /// The longer of the times that the two clocks say have passed.
  Duration age(Context context) const { return std::max(context.now() - mono, wall_age(context)); }

  /// How much longer the wall clock says it was: a sleep of this machine, or a clock that was set.
  Duration slept(Context context) const { return wall_age(context) - (context.now() - mono); }

 private:
  Duration wall_age(Context context) const {
    return std::chrono::milliseconds(context.clock->wall().unix_ms - wall.unix_ms);
  }
};

}  // namespace ichor
