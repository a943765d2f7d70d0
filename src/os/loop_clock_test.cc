#include "os/loop_clock.h"

#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "async/signal.h"
#include "async/task.h"

namespace ichor {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

TEST(LoopClock, RunsCallsInTheOrderOfTheirTimesAndThenOfAsking) {
  LoopClock clock;
  std::string order;
  const MonoTime soon = clock.now() + milliseconds(2);
  clock.call_at(soon + milliseconds(1), [&] {
    order += 'd';
    clock.stop();
  });
  clock.call_at(soon, [&] { order += 'b'; });
  clock.call_at(soon, [&] { order += 'c'; });
  clock.call_at(MonoTime::min(), [&] { order += 'a'; });
  clock.run();
  EXPECT_EQ(order, "abcd");
}

TEST(LoopClock, NeverRunsACallInsideCallAt) {
  LoopClock clock;
  std::string order;
  clock.call_at(MonoTime::min(), [&] {
    clock.call_at(MonoTime::min(), [&] {
      order += "inner";
      clock.stop();
    });
    order += "outer ";
  });
  EXPECT_EQ(order, "");
  clock.run();
  EXPECT_EQ(order, "outer inner");
}

TEST(LoopClock, ForgetsACancelledCallEvenIfItIsDueAtTheSameTime) {
  LoopClock clock;
  bool ran = false;
  Clock::CallId victim = 0;
  clock.call_at(MonoTime::min(), [&] { clock.cancel(victim); });
  victim = clock.call_at(MonoTime::min(), [&] { ran = true; });
  clock.call_at(MonoTime::min(), [&] { clock.stop(); });
  clock.run();
  EXPECT_FALSE(ran);
  clock.cancel(victim);  // a call that is gone is no mistake
}

TEST(LoopClock, AChainOfImmediateCallsDoesNotStarveATimer) {
  LoopClock clock;
  bool timer_ran = false;
  std::function<void()> again = [&] {
    if (!timer_ran) clock.call_at(MonoTime::min(), again);
  };
  again();
  clock.call_at(clock.now() + milliseconds(1), [&] {
    timer_ran = true;
    clock.stop();
  });
  clock.run();
  EXPECT_TRUE(timer_ran);
}

TEST(LoopClock, AnHourPassesQuicklyOnAScaledClock) {
  LoopClock clock(3'600'000);
  const MonoTime start = clock.now();
  clock.call_at(start + hours(1), [&] { clock.stop(); });
  clock.run();
  EXPECT_GE(clock.now() - start, hours(1));
}

TEST(LoopClock, NeverMeansNever) {
  LoopClock clock;
  bool ran = false;
  clock.call_at(kNever, [&] { ran = true; });
  clock.call_at(clock.now() + milliseconds(1), [&] { clock.stop(); });
  clock.run();
  EXPECT_FALSE(ran);
}

TEST(LoopClock, WorkFromAnotherThreadRunsOnTheLoop) {
  LoopClock clock;
  const std::thread::id loop = std::this_thread::get_id();
  std::thread::id seen;
  std::thread other([&] {
    clock.post([&] {
      seen = std::this_thread::get_id();
      clock.stop();
    });
  });
  clock.run();
  other.join();
  EXPECT_EQ(seen, loop);
}

Task<void> sleeper(Context context, int& naps) {
  for (int i = 0; i < 3; ++i) {
    if (co_await sleep_for(context, minutes(1)) == Wake::signalled) ++naps;
  }
}

Task<void> sleep_then_stop(Context context, int& naps, LoopClock& clock) {
  co_await sleeper(context, naps);
  clock.stop();
}

TEST(LoopClock, CoroutinesSleepOnIt) {
  LoopClock clock(60'000);
  CancelScope scope;
  const Context context{&clock, &scope, kNever};
  int naps = 0;
  Task<void> task = sleep_then_stop(context, naps, clock);
  task.start();
  clock.run();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(naps, 3);
}

}  // namespace
}  // namespace ichor
