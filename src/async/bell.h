#pragma once

#include <cstdint>

#include "async/signal.h"
#include "async/task.h"

namespace ichor {

/// "Something changed, look again." Rings are counted, so that one that comes between a look and
/// the wait after it is not missed: take rings() before the look and wait for more than that.
///
/// An urgent ring is a ring that a listener should follow at once, even while it puts off others.
class Bell {
 public:
  void ring() {
    ++rings_;
    rung_.notify_all();
  }
  void ring_urgently() {
    ++urgent_rings_;
    ring();
  }
  std::uint64_t rings() const { return rings_; }
  std::uint64_t urgent_rings() const { return urgent_rings_; }

  Task<Wake> rung_since(Context context, std::uint64_t seen) {
    return wait_while_equal(context, rings_, seen);
  }
  Task<Wake> rung_urgently_since(Context context, std::uint64_t seen) {
    return wait_while_equal(context, urgent_rings_, seen);
  }

 private:
  Task<Wake> wait_while_equal(Context context, const std::uint64_t& count, std::uint64_t seen) {
    while (count == seen) {
      const Wake wake = co_await rung_.wait(context);
      if (wake != Wake::signalled) co_return wake;
    }
    co_return Wake::signalled;
  }

  std::uint64_t rings_{0};
  std::uint64_t urgent_rings_{0};
  Signal rung_;
};

}  // namespace ichor
