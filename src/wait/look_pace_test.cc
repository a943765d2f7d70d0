#include "wait/look_pace.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

using namespace std::chrono_literals;

TEST(LookPace, a_change_and_a_few_more_are_followed_at_once) {
  LookPace pace;
  const MonoTime now(10s);
  for (int look = 0; look < LookPace::kBurst; ++look) EXPECT_EQ(pace.put_off(now), Duration{});
  EXPECT_EQ(pace.put_off(now), LookPace::kInterval);
}

TEST(LookPace, a_bell_that_never_stops_is_followed_twice_a_second) {
  LookPace pace;
  MonoTime now(10s);
  int looks = 0;
  for (; now < MonoTime(70s); ++looks) now += pace.put_off(now) + 1ms;
  EXPECT_LE(looks, LookPace::kBurst + 120);
  EXPECT_GE(looks, 100);
}

TEST(LookPace, quiet_time_gives_the_burst_back) {
  LookPace pace;
  for (int look = 0; look < 100; ++look) pace.put_off(MonoTime(10s));
  EXPECT_EQ(pace.put_off(MonoTime(100s)), Duration{});
}

}  // namespace
}  // namespace ichor
