#include "os/system_random.h"

#include <gtest/gtest.h>
#include <set>

namespace ichor {
namespace {

TEST(SystemRandom, DoesNotRepeatItself) {
  SystemRandom random;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.next());
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(SystemRandom, FractionsLieBetweenZeroAndOne) {
  SystemRandom random;
  for (int i = 0; i < 1000; ++i) {
    const double fraction = random.fraction();
    ASSERT_GE(fraction, 0.0);
    ASSERT_LT(fraction, 1.0);
  }
}

}  // namespace
}  // namespace ichor
