#pragma once

#include "sim/virtual_clock.h"

namespace ichor::sim {

/// How a process comes to do nothing for a while.
enum class Pause {
  stopped,    // SIGSTOP: the monotonic clock goes on, and so does everything else
  suspended,  // its machine sleeps: the monotonic clock stands still, the wall clock does not
};

/// The time as one process sees it. While it pauses nothing of it runs; what came due meanwhile
/// runs when it goes on.
class ProcessClock final : public Clock {
 public:
  explicit ProcessClock(VirtualClock& world) : world_(world) {}

  MonoTime now() const override { return world_.now() - slept_; }
  WallTime wall() const override { return world_.wall(); }
  CallId call_at(MonoTime when, Callback callback) override {
    // Who asks for a time long past means now.
    const MonoTime at = when <= now() ? world_.now() : later(when, slept_);
    return world_.call_at(at, std::move(callback), &sleeper_);
  }
  void cancel(CallId id) override { world_.cancel(id); }

  bool paused() const { return sleeper_.asleep(); }
  void pause() {
    world_.put_to_sleep(sleeper_);
    since_ = world_.now();
  }
  void go_on(Pause after) {
    const Duration slept = after == Pause::suspended ? world_.now() - since_ : Duration{};
    slept_ += slept;
    world_.wake(sleeper_, slept);
  }

 private:
  VirtualClock& world_;
  VirtualClock::Sleeper sleeper_;
  MonoTime since_{};
  Duration slept_{};  // of the world's time
};

}  // namespace ichor::sim
