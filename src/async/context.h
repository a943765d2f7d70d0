#pragma once

#include <algorithm>

#include "async/clock.h"
#include "async/intrusive_list.h"

namespace ichor {

/// Can be cancelled once, and tells everything below it. Scopes form a tree by construction; a
/// child must die before its parent.
class CancelScope {
 public:
  /// Something that wants to hear of a cancellation: a waiting coroutine or a child scope.
  struct Listener : ListNode {
    virtual void on_cancel() = 0;

   protected:
    ~Listener() = default;
  };

  CancelScope() = default;
  explicit CancelScope(CancelScope& parent) {
    cancelled_ = parent.cancelled_;
    parent.listeners_.push_back(relay_);
  }
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  bool cancelled() const { return cancelled_; }

  void cancel() {
    cancelled_ = true;
    while (Listener* listener = listeners_.pop_front()) listener->on_cancel();
  }

  void listen(Listener& listener) { listeners_.push_back(listener); }

 private:
  struct Relay final : Listener {
    explicit Relay(CancelScope& owner) : owner(owner) {}
    void on_cancel() override { owner.cancel(); }
    CancelScope& owner;
  };

  bool cancelled_{false};
  List<Listener> listeners_;
  Relay relay_{*this};
};

/// What every operation that can wait is given: the time, who may call it off, and until when it
/// may last. A small value: pass it on by value, narrowed where a step has a budget of its own.
struct Context {
  Clock* clock;
  CancelScope* scope;
  MonoTime deadline{kNever};

  MonoTime now() const { return clock->now(); }
  bool cancelled() const { return scope->cancelled(); }
  bool expired() const { return clock->now() >= deadline; }

  /// The same, but ending at `when` at the latest.
  Context until(MonoTime when) const { return {clock, scope, std::min(deadline, when)}; }
  Context within(Duration limit) const { return until(later(clock->now(), limit)); }
  Context under(CancelScope& inner) const { return {clock, &inner, deadline}; }
};

}  // namespace ichor
