#include "os/loop_clock.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"

namespace ichor {

namespace asio = boost::asio;
using Steady = std::chrono::steady_clock;

namespace {

/// A wait beyond this is "never": longer ones would overflow when they are scaled.
constexpr Duration kFar = std::chrono::hours(24 * 365 * 10);

}  // namespace

struct LoopClock::Impl {
  explicit Impl(double scale) : scale(scale) { check(scale > 0, "time runs forward"); }

  MonoTime now() const {
    const auto real = std::chrono::duration<double, std::nano>(Steady::now() - start);
    return MonoTime(Duration(static_cast<Duration::rep>(real.count() * scale)));
  }

  Steady::time_point real_time(MonoTime when) const {
    const double scaled = static_cast<double>(when.time_since_epoch().count()) / scale;
    return start + Duration(static_cast<Duration::rep>(scaled));
  }

  /// Makes sure that the loop wakes for the earliest call, and no more than once for it.
  void arm() {
    if (calls.empty()) return;
    const MonoTime earliest = calls.begin()->first.first;
    if (earliest <= now()) {
      if (std::exchange(draining, true)) return;
      asio::post(io, [this] { run_due(); });
      return;
    }
    if (draining || earliest.time_since_epoch() > kFar || armed_for == earliest) return;
    armed_for = earliest;
    timer.expires_at(real_time(earliest));
    timer.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      armed_for.reset();
      arm();
    });
  }

  /// Runs what is due now. Calls that are asked for meanwhile wait for the next round, so that a
  /// chain of immediate calls cannot keep sockets and timers from their turn.
  void run_due() {
    const MonoTime until = now();
    std::vector<std::pair<MonoTime, CallId>> due;
    for (const auto& [key, callback] : calls) {
      if (key.first > until) break;
      due.push_back(key);
    }
    for (const auto& key : due) {
      const auto found = calls.find(key);
      if (found == calls.end()) continue;
      const Callback callback = std::move(found->second);
      calls.erase(found);
      when_of.erase(key.second);
      callback();
    }
    draining = false;
    arm();
  }

  const double scale;
  const Steady::time_point start{Steady::now()};
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> stay{io.get_executor()};
  asio::steady_timer timer{io};
  std::optional<MonoTime> armed_for;
  bool draining{false};
  CallId next_id{1};
  std::map<std::pair<MonoTime, CallId>, Callback> calls;
  std::unordered_map<CallId, MonoTime> when_of;
};

LoopClock::LoopClock(double time_scale) : impl_(std::make_unique<Impl>(time_scale)) {}
LoopClock::~LoopClock() = default;

MonoTime LoopClock::now() const { return impl_->now(); }

WallTime LoopClock::wall() const {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::milliseconds>(since).count()};
}

Clock::CallId LoopClock::call_at(MonoTime when, Callback callback) {
  const CallId id = impl_->next_id++;
  impl_->calls.emplace(std::pair(when, id), std::move(callback));
  impl_->when_of.emplace(id, when);
  impl_->arm();
  return id;
}

void LoopClock::cancel(CallId id) {
  const auto found = impl_->when_of.find(id);
  if (found == impl_->when_of.end()) return;
  impl_->calls.erase({found->second, id});
  impl_->when_of.erase(found);
}

void LoopClock::run() {
  impl_->io.restart();
  impl_->io.run();
}

void LoopClock::stop() { impl_->io.stop(); }

void LoopClock::post(std::function<void()> work) { asio::post(impl_->io, std::move(work)); }

asio::io_context& LoopClock::io() { return impl_->io; }

}  // namespace ichor
