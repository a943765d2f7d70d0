#include "base/argument.h"

#include <gtest/gtest.h>
#include <string>

namespace ichor {
namespace {

TEST(ArgumentValue, IsAnythingThatNoProgramReadsAsAFlag) {
  EXPECT_TRUE(is_argument_value("oci://ghcr.io/org/charts/cilium"));
  EXPECT_TRUE(is_argument_value("1.18.2-rc.1"));
  EXPECT_TRUE(is_argument_value("./charts/über-chart"));
  EXPECT_TRUE(is_argument_value(""));
}

TEST(ArgumentValue, IsNotAFlagNorAControlCharacter) {
  EXPECT_FALSE(is_argument_value("--post-renderer=/tmp/x"));
  EXPECT_FALSE(is_argument_value("-"));
  EXPECT_FALSE(is_argument_value("chart\n--set=a"));
  EXPECT_FALSE(is_argument_value(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_argument_value("\x1b[2J"));
}

TEST(ChartArgument, HasNoPartThatIsAFlag) {
  EXPECT_TRUE(is_chart_argument("oci://host/charts/kube-prometheus"));
  EXPECT_FALSE(is_chart_argument("oci://host/--post-renderer=x"));
  EXPECT_FALSE(is_chart_argument("--post-renderer=x"));
}

}  // namespace
}  // namespace ichor
