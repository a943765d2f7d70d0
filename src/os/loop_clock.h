#pragma once

#include <functional>
#include <memory>

#include "async/clock.h"

namespace boost::asio {
class io_context;
}

namespace ichor {

/// The socket loop of the process and the system's time. One thread calls run(); all callbacks and
/// all coroutines live on it. Only post() and stop() may be called from other threads.
///
/// With a time scale above one this clock runs faster than the world: an hour of budgets, delays
/// and polls passes in a minute at scale 60. What is measured against a peer (connect, handshake,
/// call and keepalive limits) is kept by the adapters in real time and does not shrink.
class LoopClock final : public Clock {
 public:
  explicit LoopClock(double time_scale = 1.0);
  ~LoopClock() override;
  LoopClock(const LoopClock&) = delete;
  LoopClock& operator=(const LoopClock&) = delete;

  MonoTime now() const override;
  WallTime wall() const override;
  CallId call_at(MonoTime when, Callback callback) override;
  void cancel(CallId id) override;

  /// Runs callbacks until stop(). What was not due by then waits for the next run().
  void run();
  void stop();

  /// Runs `work` on the loop's thread, in the order of posting.
  void post(std::function<void()> work);

  /// For adapters that do their own I/O on this loop.
  boost::asio::io_context& io();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ichor
