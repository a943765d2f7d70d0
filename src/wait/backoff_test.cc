#include "wait/backoff.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Always the same number: 0 takes nothing off, the largest takes a quarter off.
class FixedRandom final : public Random {
 public:
  explicit FixedRandom(std::uint64_t value) : value_(value) {}
  std::uint64_t next() override { return value_; }

 private:
  std::uint64_t value_;
};

TEST(Backoff, GrowsByTheFactorUpToTheCap) {
  FixedRandom random(0);
  const RetryLimits limits;
  const Duration expected[] = {seconds(3),  seconds(6),  seconds(12), seconds(24),
                               seconds(48), seconds(60), seconds(60)};
  for (int attempt = 1; attempt <= 7; ++attempt) {
    EXPECT_EQ(mutation_delay(attempt, limits, random), expected[attempt - 1]) << attempt;
  }
}

TEST(Backoff, JitterTakesOffAtMostAQuarter) {
  FixedRandom random(~std::uint64_t{0});
  const RetryLimits limits;
  const Duration delay = mutation_delay(1, limits, random);
  EXPECT_LT(delay, seconds(3));
  EXPECT_GE(delay, milliseconds(2250));
}

TEST(Backoff, ReadsComeSooner) {
  FixedRandom random(0);
  const RetryLimits limits;
  EXPECT_EQ(read_delay(1, limits, random), milliseconds(500));
  EXPECT_EQ(read_delay(3, limits, random), seconds(2));
  EXPECT_EQ(read_delay(30, limits, random), seconds(10));
}

}  // namespace
}  // namespace ichor
