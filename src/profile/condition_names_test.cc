#include "profile/condition_names.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

using Names = std::vector<std::string>;

TEST(ConditionNames, AreTheVariables) {
  EXPECT_EQ(condition_names("if loki_enabled | default(false)"), Names{"loki_enabled"});
  EXPECT_EQ(condition_names("if a.b == 'x y' and not c[0]"), (Names{"a", "c"}));
  EXPECT_EQ(condition_names("for n in nodes if n.name"), (Names{"n", "nodes"}));
}

TEST(ConditionNames, AreNoTestsFiltersOrArguments) {
  EXPECT_EQ(condition_names("if x is not defined or y is string"), (Names{"x", "y"}));
  EXPECT_EQ(condition_names("if x | default(value=z) | length > 3"), (Names{"x", "z"}));
}

TEST(ConditionNames, OfAnUnclosedQuoteEnd) {
  EXPECT_EQ(condition_names("if a == 'b"), Names{"a"});
  EXPECT_EQ(condition_names("if a == 'b\\"), Names{"a"});
}

}  // namespace
}  // namespace ichor
