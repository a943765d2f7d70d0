#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "async/signal.h"
#include "async/task.h"

namespace ichor {

/// One value handed from a callback to a coroutine. An adapter keeps a shared_ptr to the slot in
/// its callback and awaits take(); if the coroutine is gone by then, the value is dropped.
template <class T>
class Slot {
 public:
  /// The first value wins: a reply that comes after a reset is ignored.
  void set(T value) {
    if (value_) return;
    value_.emplace(std::move(value));
    ready_.notify_all();
  }
  bool filled() const { return value_.has_value(); }

  /// Waits for the value; on timed_out or cancelled there is none yet, and one that comes later is
  /// kept. `self` keeps the slot alive while its coroutine waits.
  static Task<Wake> ready(std::shared_ptr<Slot> self, Context context) {
    while (!self->value_) {
      const Wake wake = co_await self->ready_.wait(context);
      if (wake != Wake::signalled) co_return wake;
    }
    co_return Wake::signalled;
  }

  T take() { return std::move(*value_); }

 private:
  std::optional<T> value_;
  Signal ready_;
};

}  // namespace ichor
