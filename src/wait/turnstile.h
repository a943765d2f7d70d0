#pragma once

#include "async/signal.h"
#include "async/task.h"

namespace ichor {

/// Lets at most N through at a time, first come first served: the concurrency of apply.
class Turnstile {
 public:
  explicit Turnstile(int places) : free_(places) {}

  /// Takes a place. False if the context ended first; then there is nothing to leave.
  Task<bool> enter(Context context) {
    while (free_ <= 0) {
      const Wake wake = co_await changed_.wait(context);
      if (wake != Wake::signalled) co_return false;
    }
    --free_;
    co_return true;
  }
  void leave() {
    ++free_;
    changed_.notify_all();
  }

 private:
  int free_;
  Signal changed_;
};

}  // namespace ichor
