#include "base/words.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(SplitList, EmptyPartsAreDropped) {
  EXPECT_EQ(split_list("a,,b,"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(split_list("").empty());
}

TEST(ShellQuoted, AWordReachesTheProgramAsItIs) {
  EXPECT_EQ(shell_quoted("infra/ichor.yaml"), "infra/ichor.yaml");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace ichor
