#pragma once

#include <algorithm>

#include "base/time.h"

namespace ichor {

/// How soon a phase may look again after something rang. A change is followed at once, and so are a
/// number of changes in a row; a bell that never stops ringing (a stream that breaks as soon as it
/// is opened) is followed at a steady pace, so that neither side is kept busy by it.
class LookPace {
 public:
  static constexpr int kBurst = 20;
  static constexpr Duration kInterval = std::chrono::milliseconds(500);

  /// Counts a look at `now`; how long it must be put off. Zero for most.
  Duration put_off(MonoTime now) {
    // The moment by which all looks so far would have been made at the steady pace.
    paced_ = std::max(paced_, now) + kInterval;
    return std::max(Duration{}, paced_ - now - kBurst * kInterval);
  }

 private:
  MonoTime paced_{};
};

}  // namespace ichor
