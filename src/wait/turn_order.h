#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "async/signal.h"
#include "async/task.h"

namespace ichor {

/// Lets everybody through one after another in a fixed order: each when all before it are through,
/// or will never come.
class TurnOrder {
 public:
  explicit TurnOrder(std::size_t count) : over_(count, false) {}

  bool is_turn_of(std::size_t place) const {
    return std::all_of(over_.begin(), over_.begin() + static_cast<std::ptrdiff_t>(place),
                       [](bool over) { return over; });
  }

  /// False if the context ended first.
  Task<bool> my_turn(Context context, std::size_t place) {
    while (!is_turn_of(place)) {
      const Wake wake = co_await changed_.wait(context);
      if (wake != Wake::signalled) co_return false;
    }
    co_return true;
  }

  /// Also for those who will never come; may be said more than once.
  void over(std::size_t place) {
    if (over_[place]) return;
    over_[place] = true;
    changed_.notify_all();
  }

 private:
  std::vector<bool> over_;
  Signal changed_;
};

}  // namespace ichor
