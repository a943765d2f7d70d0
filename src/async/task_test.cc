#include "async/task.h"

#include <gtest/gtest.h>
#include <memory>

#include "async/signal.h"
#include "sim/virtual_clock.h"

namespace ichor {
namespace {

Task<int> number(int value) { co_return value; }

Task<int> sum() {
  const int first = co_await number(40);
  const int second = co_await number(2);
  co_return first + second;
}

TEST(Task, HandsItsValueToTheAwaiter) {
  Task<int> task = sum();
  task.start();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.take(), 42);
}

TEST(Task, DoesNotRunBeforeItIsStarted) {
  bool ran = false;
  const auto work = [](bool& flag) -> Task<void> {
    flag = true;
    co_return;
  };
  Task<void> task = work(ran);
  EXPECT_FALSE(ran);
  task.start();
  EXPECT_TRUE(ran);
}

/// A thousand awaits that complete at once must not grow the stack.
Task<int> count_to(int limit) {
  int total = 0;
  for (int i = 0; i < limit; ++i) total += co_await number(1);
  co_return total;
}

TEST(Task, ManyAwaitsInARow) {
  Task<int> task = count_to(1000);
  task.start();
  EXPECT_EQ(task.take(), 1000);
}

/// What a crash must do: the innermost frame is suspended, and dropping the root frees every frame
/// on the way without running another line.
Task<void> inner(Context context, std::shared_ptr<int> held, bool& went_on) {
  co_await sleep_for(context, std::chrono::hours(1));
  went_on = true;
  *held = 1;
}

Task<void> outer(Context context, std::shared_ptr<int> held, bool& went_on) {
  co_await inner(context, held, went_on);
  went_on = true;
}

TEST(Task, DroppingTheRootDropsTheWholeTreeWhereItStands) {
  sim::VirtualClock clock;
  CancelScope scope;
  const auto held = std::make_shared<int>(0);
  bool went_on = false;
  {
    Task<void> task = outer({&clock, &scope}, held, went_on);
    task.start();
    EXPECT_EQ(held.use_count(), 3);
  }
  EXPECT_EQ(held.use_count(), 1);
  clock.run_for(std::chrono::hours(2));
  EXPECT_FALSE(went_on);
}

}  // namespace
}  // namespace ichor
