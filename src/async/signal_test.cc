#include "async/signal.h"

#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "async/bell.h"
#include "async/slot.h"
#include "async/task_group.h"
#include "sim/virtual_clock.h"

namespace ichor {
namespace {

using std::chrono::seconds;

class SignalTest : public testing::Test {
 protected:
  Context context() { return {&clock_, &scope_}; }

  Task<void> wait_on(Signal& signal, Context context, std::optional<Wake>& result) {
    result = co_await signal.wait(context);
    woken_at_ = clock_.now();
  }
  Task<void> sleep(Context context, Duration duration, std::optional<Wake>& result) {
    result = co_await sleep_for(context, duration);
    woken_at_ = clock_.now();
  }

  sim::VirtualClock clock_;
  CancelScope scope_;
  MonoTime woken_at_{};
};

TEST_F(SignalTest, WakesWhenNotified) {
  Signal signal;
  std::optional<Wake> result;
  Task<void> task = wait_on(signal, context(), result);
  task.start();
  signal.notify_all();
  EXPECT_FALSE(result) << "a waiter never runs inside notify_all";
  clock_.run_for(seconds(0));
  EXPECT_EQ(result, Wake::signalled);
}

TEST_F(SignalTest, EndsAtTheDeadline) {
  Signal signal;
  std::optional<Wake> result;
  Task<void> task = wait_on(signal, context().within(seconds(5)), result);
  task.start();
  clock_.run_for(seconds(4));
  EXPECT_FALSE(result);
  clock_.run_for(seconds(2));
  EXPECT_EQ(result, Wake::timed_out);
  EXPECT_EQ(woken_at_, MonoTime(seconds(5)));
}

TEST_F(SignalTest, EndsWhenItsScopeIsCancelled) {
  Signal signal;
  std::optional<Wake> result;
  Task<void> task = wait_on(signal, context(), result);
  task.start();
  scope_.cancel();
  clock_.run_for(seconds(0));
  EXPECT_EQ(result, Wake::cancelled);
}

TEST_F(SignalTest, DoesNotWaitInACancelledScope) {
  Signal signal;
  std::optional<Wake> result;
  scope_.cancel();
  Task<void> task = wait_on(signal, context(), result);
  task.start();
  EXPECT_EQ(result, Wake::cancelled);
}

TEST_F(SignalTest, ACancelledParentCancelsItsChildrenOnly) {
  CancelScope child(scope_);
  CancelScope grandchild(child);
  CancelScope sibling(scope_);
  child.cancel();
  EXPECT_TRUE(grandchild.cancelled());
  EXPECT_FALSE(sibling.cancelled());
  EXPECT_FALSE(scope_.cancelled());
  scope_.cancel();
  EXPECT_TRUE(sibling.cancelled());
}

TEST_F(SignalTest, ASleepSaysWhetherItWasWhole) {
  std::optional<Wake> whole;
  std::optional<Wake> cut_short;
  Task<void> one = sleep(context(), seconds(3), whole);
  Task<void> other = sleep(context().within(seconds(1)), seconds(3), cut_short);
  one.start();
  other.start();
  clock_.run_for(seconds(10));
  EXPECT_EQ(whole, Wake::signalled);
  EXPECT_EQ(cut_short, Wake::timed_out);
}

TEST_F(SignalTest, AWaiterThatDiesAfterItWasWokenIsForgotten) {
  Signal signal;
  std::optional<Wake> result;
  {
    Task<void> task = wait_on(signal, context(), result);
    task.start();
    signal.notify_all();
  }
  clock_.run_for(seconds(1));
  EXPECT_FALSE(result);
}

TEST_F(SignalTest, ASignalMayDieBeforeItsWaiter) {
  std::optional<Wake> result;
  Task<void> task;
  {
    Signal signal;
    task = wait_on(signal, context().within(seconds(1)), result);
    task.start();
  }
  clock_.run_for(seconds(2));
  EXPECT_EQ(result, Wake::timed_out);
}

Task<void> hear(Bell& bell, Context context, std::uint64_t seen, std::optional<Wake>& result) {
  result = co_await bell.rung_since(context, seen);
}

TEST_F(SignalTest, ARingBetweenLookAndWaitIsHeard) {
  Bell bell;
  const std::uint64_t seen = bell.rings();
  bell.ring();
  std::optional<Wake> result;
  Task<void> task = hear(bell, context(), seen, result);
  task.start();
  EXPECT_EQ(result, Wake::signalled);
}

Task<void> hear_urgent(Bell& bell, Context context, std::uint64_t seen,
                       std::optional<Wake>& result) {
  result = co_await bell.rung_urgently_since(context, seen);
}

TEST_F(SignalTest, AListenerForUrgentRingsSleepsThroughOthers) {
  Bell bell;
  const std::uint64_t seen = bell.urgent_rings();
  std::optional<Wake> result;
  Task<void> task = hear_urgent(bell, context(), seen, result);
  task.start();
  bell.ring();
  clock_.run_for(seconds(1));
  EXPECT_FALSE(result);
  bell.ring_urgently();
  clock_.run_for(seconds(1));
  EXPECT_EQ(result, Wake::signalled);
}

Task<void> receive(std::shared_ptr<Slot<int>> slot, Context context, std::optional<Wake>& result) {
  result = co_await Slot<int>::ready(slot, context);
}

TEST_F(SignalTest, ASlotKeepsTheFirstValue) {
  const auto slot = std::make_shared<Slot<int>>();
  std::optional<Wake> result;
  Task<void> task = receive(slot, context(), result);
  task.start();
  slot->set(1);
  slot->set(2);
  clock_.run_for(seconds(0));
  EXPECT_EQ(result, Wake::signalled);
  EXPECT_EQ(slot->take(), 1);
}

Task<void> note_after(Context context, Duration delay, int number, std::vector<int>& order) {
  co_await sleep_for(context, delay);
  order.push_back(number);
}

Task<void> three_children(Context context, std::vector<int>& order) {
  TaskGroup group(context);
  group.spawn(note_after(context, seconds(3), 3, order));
  group.spawn(note_after(context, seconds(1), 1, order));
  group.spawn(note_after(context, seconds(2), 2, order));
  co_await group.join();
  order.push_back(4);
}

TEST_F(SignalTest, AGroupJoinsAllItsChildren) {
  std::vector<int> order;
  Task<void> task = three_children(context(), order);
  task.start();
  clock_.run_for(seconds(10));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
}

TEST_F(SignalTest, ACancelledGroupStillJoins) {
  std::vector<int> order;
  Task<void> task = three_children(context(), order);
  task.start();
  scope_.cancel();
  clock_.run_for(seconds(0));
  EXPECT_EQ(order.size(), 4u) << "every child hears of it and ends";
  EXPECT_EQ(order.back(), 4);
}

}  // namespace
}  // namespace ichor
