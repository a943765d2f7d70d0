#include "sim/virtual_clock.h"

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "sim/process_clock.h"
#include "sim/seeded_random.h"

namespace ichor::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct VirtualClockTest : ::testing::Test {
  VirtualClock clock;
  std::string said;

  Clock::CallId say(Duration after, char letter) {
    return clock.call_at(clock.now() + after, [this, letter] { said += letter; });
  }
  void run_dry() {
    while (clock.step()) {
    }
  }
};

/// A process that pauses, and what it asked for before: x after 10 s and y after an hour.
struct PauseTest : VirtualClockTest {
  PauseTest() {
    mine.call_at(mine.now() + seconds(10), [this] { said += 'x'; });
    mine.call_at(mine.now() + hours(1), [this] { said += 'y'; });
    clock.run_for(seconds(4));
    mine.pause();
    clock.run_for(seconds(96));
    mine.call_at(MonoTime::min(), [this] { said += 'n'; });  // another caller uses it
    clock.run_for(seconds(900));
    EXPECT_EQ(said, "");
  }
  ProcessClock mine{clock};
};

TEST_F(PauseTest, WhoWasStoppedDoesWhatIsOverdueAtOnce) {
  mine.go_on(Pause::stopped);
  clock.run_for(Duration{});
  EXPECT_EQ(said, "xn");
  EXPECT_EQ(mine.now(), clock.now());
  clock.run_for(seconds(2600));
  EXPECT_EQ(said, "xny");
}

TEST_F(PauseTest, WhoWasAsleepKnowsNothingOfTheTime) {
  mine.go_on(Pause::suspended);
  clock.run_for(Duration{});
  EXPECT_EQ(said, "n");
  EXPECT_EQ(mine.now().time_since_epoch(), seconds(4));
  EXPECT_EQ(mine.wall().unix_ms, clock.wall().unix_ms);
  clock.run_for(seconds(6));
  EXPECT_EQ(said, "nx");
  clock.run_for(seconds(3590));
  EXPECT_EQ(said, "nxy");
}

TEST_F(PauseTest, WhatWasCalledOffMeanwhileDoesNotRun) {
  const Clock::CallId id = mine.call_at(MonoTime::min(), [this] { said += 'z'; });
  clock.run_for(seconds(1));
  mine.cancel(id);
  mine.go_on(Pause::stopped);
  clock.run_for(Duration{});
  EXPECT_EQ(said, "xn");
}

TEST_F(VirtualClockTest, JumpsFromCallbackToCallback) {
  say(hours(5), 'b');
  say(seconds(1), 'a');
  EXPECT_TRUE(clock.step());
  EXPECT_EQ(said, "a");
  EXPECT_EQ(clock.now().time_since_epoch(), seconds(1));
  EXPECT_TRUE(clock.step());
  EXPECT_EQ(said, "ab");
  EXPECT_EQ(clock.now().time_since_epoch(), hours(5));
  EXPECT_FALSE(clock.step());
}

TEST_F(VirtualClockTest, RunsCallsOfOneMomentInTheOrderTheyWereAskedFor) {
  for (char letter : std::string("abcdefgh")) say(seconds(3), letter);
  for (char letter : std::string("123")) say(seconds(0), letter);
  run_dry();
  EXPECT_EQ(said, "123abcdefgh");
}

TEST_F(VirtualClockTest, WhatACallbackAsksForNowComesAfterWhatWasAskedForThisMomentBefore) {
  clock.call_at(clock.now() + seconds(1), [this] {
    said += 'a';
    say(seconds(0), 'c');
    say(seconds(-5), 'd');
  });
  say(seconds(1), 'b');
  run_dry();
  EXPECT_EQ(said, "abcd");
  EXPECT_EQ(clock.now().time_since_epoch(), seconds(1));
}

TEST_F(VirtualClockTest, NeverRunsACallbackInsideCallAt) {
  say(seconds(0), 'x');
  EXPECT_EQ(said, "");
}

TEST_F(VirtualClockTest, ForgetsCancelledCallsAndTakesOldIdsInGoodPart) {
  const auto first = say(seconds(1), 'a');
  const auto due = say(seconds(0), 'b');
  say(seconds(2), 'c');
  clock.cancel(first);
  clock.cancel(due);
  clock.cancel(first);
  clock.cancel(0);
  clock.cancel(~0ull);
  EXPECT_EQ(clock.waiting(), 1u);
  const auto reused = say(seconds(1), 'd');
  clock.cancel(first);  // its slot belongs to another callback by now
  run_dry();
  EXPECT_EQ(said, "dc");
  clock.cancel(reused);
  EXPECT_TRUE(clock.idle());
}

TEST_F(VirtualClockTest, RunsUpToAndIncludingAMomentAndStopsThere) {
  say(seconds(1), 'a');
  say(seconds(2), 'b');
  say(seconds(3), 'c');
  clock.run_for(seconds(2));
  EXPECT_EQ(said, "ab");
  clock.run_for(milliseconds(500));
  EXPECT_EQ(clock.now().time_since_epoch(), milliseconds(2500));
  EXPECT_EQ(clock.next_at().time_since_epoch(), seconds(3));
}

TEST_F(VirtualClockTest, AWaitForeverNeverEndsTheWorld) {
  clock.call_at(kNever, [this] { said += '!'; });
  EXPECT_FALSE(clock.step());
  EXPECT_FALSE(clock.idle());
}

TEST_F(VirtualClockTest, TheWallClockJumpsAlone) {
  VirtualClock at_epoch(WallTime{1000});
  at_epoch.run_for(seconds(2));
  EXPECT_EQ(at_epoch.wall().unix_ms, 3000);
  at_epoch.set_wall(WallTime{0});
  EXPECT_EQ(at_epoch.wall().unix_ms, 0);
  EXPECT_EQ(at_epoch.now().time_since_epoch(), seconds(2));
}

// The clock against the plainest thing that could do its job: a map ordered by time, then by order.
TEST(VirtualClockAgainstAMap, AgreesOnTwoHundredRandomLives) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SeededRandom random(seed);
    VirtualClock clock;
    std::map<std::pair<MonoTime, int>, int> model;
    std::vector<std::pair<Clock::CallId, std::pair<MonoTime, int>>> known;
    int ran = -1;
    for (int order = 0; order < 1500; ++order) {
      const auto dice = random.below(10);
      if (dice < 5) {
        const MonoTime when = clock.now() + seconds(random.below(20));
        known.emplace_back(clock.call_at(when, [&ran, order] { ran = order; }),
                           std::make_pair(when, order));
        model[{when, order}] = order;
      } else if (dice < 8 && !known.empty()) {
        const auto& victim = known[random.below(known.size())];
        clock.cancel(victim.first);
        model.erase(victim.second);
      } else {
        ran = -1;
        ASSERT_EQ(clock.step(), !model.empty());
        if (model.empty()) continue;
        ASSERT_EQ(ran, model.begin()->second) << "seed " << seed;
        ASSERT_EQ(clock.now(), model.begin()->first.first);
        model.erase(model.begin());
      }
      ASSERT_EQ(clock.waiting(), model.size());
    }
  }
}

TEST(SeededRandomTest, GivesTheSameNumbersOnEveryPlatform) {
  // xoshiro256** from splitmix64(1): the reference values of the algorithm's published C code.
  SeededRandom random(1);
  EXPECT_EQ(random.next(), 0xb3f2af6d0fc710c5ull);
  SeededRandom again(1);
  EXPECT_EQ(again.next(), 0xb3f2af6d0fc710c5ull);
}

TEST(SeededRandomTest, StaysInsideItsBoundsAndReachesThem) {
  SeededRandom random(7);
  bool lowest = false;
  bool highest = false;
  for (int i = 0; i < 1000; ++i) {
    const auto drawn = random.between(3, 6);
    ASSERT_GE(drawn, 3u);
    ASSERT_LE(drawn, 6u);
    lowest |= drawn == 3;
    highest |= drawn == 6;
    ASSERT_FALSE(random.chance(0));
    ASSERT_TRUE(random.chance(1));
  }
  EXPECT_TRUE(lowest);
  EXPECT_TRUE(highest);
}

TEST(SeededRandomTest, AForkLeavesItsParentAloneAndDiffersFromItsSiblings) {
  SeededRandom parent(42);
  SeededRandom untouched(42);
  SeededRandom first = parent.fork(1);
  SeededRandom second = parent.fork(2);
  EXPECT_NE(first.next(), second.next());
  EXPECT_EQ(parent.next(), untouched.next());
}

}  // namespace
}  // namespace ichor::sim
