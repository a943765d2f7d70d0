#pragma once

#include "base/time.h"

namespace ichor::sim {

/// Whether something holds, and when it last did.
class Gauge {
 public:
  void set(bool holds, MonoTime now) {
    if (holds_ && !holds) held_until_ = now;
    holds_ = holds;
  }
  bool holds() const { return holds_; }
  bool held_since(MonoTime from) const { return holds_ || held_until_ >= from; }

 private:
  bool holds_{false};
  MonoTime held_until_{MonoTime::min()};
};

}  // namespace ichor::sim
