#include "sim/checkers/upgrade_history.h"

namespace ichor::sim {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPlanned = "ghcr.io/siderolabs/installer:v1.12.7";

TEST(PlannedVersion, HoldsForTheImageOfThePlan) {
  UpgradeHistory history("I38");
  history.installs("w1", kPlanned, Call::pull_image);
  history.installs("w1", kPlanned);
  EXPECT_EQ(history.violation(), "");
}

TEST(PlannedVersion, IsBrokenByAnotherVersion) {
  UpgradeHistory history("I38");
  history.installs("w1", "ghcr.io/siderolabs/installer:v1.13.9");
  EXPECT_THAT(history.violation(), HasSubstr("installer:v1.13.9 was sent to w1"));
}

TEST(PlannedVersion, IsBrokenByANodeThatIsNotPartOfThePlan) {
  UpgradeHistory history("I38");
  history.plan.nodes.erase(NodeName("w1"));
  history.installs("w1", kPlanned);
  EXPECT_THAT(history.violation(), HasSubstr("was sent to w1"));
}

TEST(PlannedVersion, IsBrokenByASuccessThatIsNone) {
  UpgradeHistory history("I38");
  history.starts_again();
  history.ends(Exit::done);
  EXPECT_THAT(history.violation(), HasSubstr("cp1 runs v1.12.6"));
}

TEST(PlannedVersion, LeavesTheBringUpBeforeAlone) {
  UpgradeHistory history("I38");
  history.ends(Exit::done);
  EXPECT_EQ(history.violation(), "") << "run 1 started before there was an upgrade";
}

TEST(PlannedVersion, IsBrokenByANodeThatStaysCordoned) {
  UpgradeHistory history("I38");
  history.plan.target = {1, 12, 6};
  history.starts_again();
  history.cordons("w1", true);
  history.ends(Exit::done);
  EXPECT_THAT(history.violation(), HasSubstr("w1 is cordoned"));
}

}  // namespace
}  // namespace ichor::sim
