#pragma once

#include <cstdint>

#include "async/signal.h"
#include "async/task.h"

namespace ichor {

/// "Something changed, look again." Rings are counted, so that one that comes between a look and
/// the wait after it is not missed: take rings() before the look and wait for more than that.
class Bell {
 public:
  void ring() {
    ++rings_;
    rung_.notify_all();
  }
  std::uint64_t rings() const { return rings_; }

  Task<Wake> rung_since(Context context, std::uint64_t seen) {
    while (rings_ == seen) {
      const Wake wake = co_await rung_.wait(context);
      if (wake != Wake::signalled) co_return wake;
    }
    co_return Wake::signalled;
  }

 private:
  std::uint64_t rings_{0};
  Signal rung_;
};

}  // namespace ichor
