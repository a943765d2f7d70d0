#include "wait/turn_order.h"

#include <gtest/gtest.h>
#include <string>

#include "sim/virtual_clock.h"

namespace ichor {
namespace {

class TurnOrderTest : public testing::Test {
 protected:
  /// Comes after `delay`, and stays for a second.
  Task<void> come(std::size_t place, Duration delay) {
    const Context context{&clock_, &scope_};
    co_await sleep_for(context, delay);
    const bool turn = co_await turns_.my_turn(context, place);
    if (!turn) co_return;
    order_ += std::to_string(place);
    co_await sleep_for(context, std::chrono::seconds(1));
    turns_.over(place);
  }

  sim::VirtualClock clock_;
  CancelScope scope_;
  TurnOrder turns_{3};
  std::string order_;
};

TEST_F(TurnOrderTest, KeepsTheOrderWhoeverComesFirst) {
  Task<void> last = come(2, Duration::zero()), middle = come(1, std::chrono::seconds(1)),
             first = come(0, std::chrono::seconds(5));
  for (Task<void>* task : {&last, &middle, &first}) task->start();
  clock_.run_for(std::chrono::minutes(1));
  EXPECT_EQ(order_, "012");
}

TEST_F(TurnOrderTest, NoTaskWaitsForOneThatWillNeverCome) {
  Task<void> last = come(2, Duration::zero()), first = come(0, Duration::zero());
  last.start();
  first.start();
  clock_.run_for(std::chrono::minutes(1));
  EXPECT_EQ(order_, "0");
  turns_.over(1);
  clock_.run_for(std::chrono::minutes(1));
  EXPECT_EQ(order_, "02");
}

TEST_F(TurnOrderTest, AWaitEndsWithItsContext) {
  Task<void> middle = come(1, Duration::zero());
  middle.start();
  clock_.run_for(std::chrono::seconds(1));
  scope_.cancel();
  clock_.run_for(std::chrono::seconds(1));
  EXPECT_TRUE(middle.done());
  EXPECT_EQ(order_, "");
}

}  // namespace
}  // namespace ichor
