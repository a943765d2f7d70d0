#include "wait/barrier.h"

#include <gtest/gtest.h>
#include <optional>

#include "sim/virtual_clock.h"
#include "wait/turnstile.h"

namespace ichor {
namespace {

class BarrierTest : public testing::Test {
 protected:
  Context context() { return {&clock_, &scope_}; }
  Task<void> pass(Barrier& barrier, std::optional<Wake>& result) {
    result = co_await barrier.passed(context());
  }
  Task<void> enter(Turnstile& turnstile, std::optional<bool>& result) {
    result = co_await turnstile.enter(context());
  }
  void settle() { clock_.run_for(Duration{}); }

  sim::VirtualClock clock_;
  CancelScope scope_;
};

TEST_F(BarrierTest, OpensWhenAllHaveArrived) {
  Barrier barrier("etcd quorum", 2);
  std::optional<Wake> result;
  Task<void> task = pass(barrier, result);
  task.start();
  barrier.arrive();
  settle();
  EXPECT_FALSE(result);
  barrier.arrive();
  settle();
  EXPECT_EQ(result, Wake::signalled);
  EXPECT_TRUE(barrier.open());
}

TEST_F(BarrierTest, BreaksWithTheFirstReason) {
  Barrier barrier("etcd quorum", 2);
  std::optional<Wake> result;
  Task<void> task = pass(barrier, result);
  task.start();
  barrier.break_with("cp2 is foreign");
  barrier.break_with("and so is cp3");
  barrier.arrive();
  barrier.arrive();
  settle();
  EXPECT_EQ(result, Wake::signalled);
  EXPECT_FALSE(barrier.open());
  EXPECT_EQ(barrier.reason(), "cp2 is foreign");
}

TEST_F(BarrierTest, WithoutExpectedNodesItIsOpen) {
  const Barrier barrier("all nodes verified", 0);
  EXPECT_TRUE(barrier.open());
}

TEST_F(BarrierTest, ATurnstileLetsSoManyThroughAndOneMoreWhenOneLeaves) {
  Turnstile turnstile(1);
  std::optional<bool> first;
  std::optional<bool> second;
  Task<void> one = enter(turnstile, first);
  Task<void> two = enter(turnstile, second);
  one.start();
  two.start();
  settle();
  EXPECT_EQ(first, true);
  EXPECT_FALSE(second);
  turnstile.leave();
  settle();
  EXPECT_EQ(second, true);
}

TEST_F(BarrierTest, ACancelledVisitorHasNoPlaceToLeave) {
  Turnstile turnstile(0);
  std::optional<bool> result;
  Task<void> task = enter(turnstile, result);
  task.start();
  scope_.cancel();
  settle();
  EXPECT_EQ(result, false);
}

}  // namespace
}  // namespace ichor
