#pragma once

#include <coroutine>

#include "async/context.h"

namespace ichor {

/// How a wait ended.
enum class Wake { signalled, timed_out, cancelled };

/// The one leaf on which coroutines wait: for a notification, a point in time, or a cancellation,
/// whichever comes first. Sleep, RPC replies, barriers and joins are all made of it, so this is the
/// only place that suspends.
///
/// A waiter is resumed from the clock's queue, never inside notify_all(): the notifier's state is
/// settled when the waiter looks at it. A waiter that is destroyed while suspended is forgotten.
class Signal {
 public:
  class Waiter : private CancelScope::Listener {
   public:
    Waiter(Signal* signal, Context context, MonoTime wake_at, Wake at_wake)
        : signal_(signal), context_(context), wake_at_(wake_at), result_(at_wake) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
      if (call_ != 0) context_.clock->cancel(call_);
    }

    bool await_ready() {
      if (context_.cancelled()) {
        result_ = Wake::cancelled;
        return true;
      }
      return wake_at_ <= context_.now();
    }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      context_.scope->listen(*this);
      if (signal_) signal_->waiters_.push_back(link_);
      if (wake_at_ != kNever) call_ = context_.clock->call_at(wake_at_, [this] { resume(); });
    }
    Wake await_resume() const { return result_; }

   private:
    friend class Signal;
    struct Link : ListNode {
      explicit Link(Waiter& owner) : owner(owner) {}
      Waiter& owner;
    };

    void on_cancel() override { wake(Wake::cancelled); }

    void wake(Wake result) {
      result_ = result;
      settle();
      call_ = context_.clock->call_at(MonoTime::min(), [this] { resume(); });
    }
    void resume() {
      call_ = 0;
      settle();
      waiting_.resume();
    }
    void settle() {
      link_.unlink();
      static_cast<CancelScope::Listener&>(*this).unlink();
      if (call_ != 0) context_.clock->cancel(call_);
      call_ = 0;
    }

    Signal* signal_;
    Context context_;
    MonoTime wake_at_;
    Wake result_;
    Clock::CallId call_{0};
    std::coroutine_handle<> waiting_;
    Link link_{*this};
  };

  Signal() = default;
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  /// Wakes all who wait now.
  void notify_all() {
    while (Waiter::Link* link = waiters_.pop_front()) link->owner.wake(Wake::signalled);
  }

  /// Until the next notification or the context's deadline.
  Waiter wait(Context context) { return Waiter(this, context, context.deadline, Wake::timed_out); }

  /// As wait(), but for `limit` at most.
  Waiter wait_for(Context context, Duration limit) { return wait(context.within(limit)); }

 private:
  List<Waiter::Link> waiters_;
};

/// Waits until `when`; Wake::timed_out says that the context's deadline came first.
inline Signal::Waiter sleep_until(Context context, MonoTime when) {
  const bool whole = when <= context.deadline;
  return Signal::Waiter(nullptr, context, whole ? when : context.deadline,
                        whole ? Wake::signalled : Wake::timed_out);
}

inline Signal::Waiter sleep_for(Context context, Duration duration) {
  return sleep_until(context, later(context.now(), duration));
}

}  // namespace ichor
