#include "cli/nearest.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

const std::vector<std::string> kCommands{"up", "plan", "lint", "preflight", "version", "--dry-run"};

TEST(Nearest, FindsWhatWasMistyped) {
  EXPECT_EQ(nearest("pln", kCommands), "plan");
  EXPECT_EQ(nearest("lnit", kCommands), "lint");
  EXPECT_EQ(nearest("preflihgt", kCommands), "preflight");
  EXPECT_EQ(nearest("--dryrun", kCommands), "--dry-run");
}

TEST(Nearest, StaysSilentAboutWordsThatAreNotNear) {
  EXPECT_EQ(nearest("kubectl", kCommands), "");
  EXPECT_EQ(nearest("x", kCommands), "");
  EXPECT_EQ(nearest("", kCommands), "");
  EXPECT_EQ(nearest(std::string(100'000, 'p'), kCommands), "");
}

}  // namespace
}  // namespace ichor
