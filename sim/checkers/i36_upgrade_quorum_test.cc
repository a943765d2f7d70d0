#include "sim/checkers/upgrade_history.h"

namespace ichor::sim {
namespace {

TEST(UpgradeQuorum, HoldsForOneOfThree) {
  UpgradeHistory history("I36");
  history.sends(Call::upgrade, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(UpgradeQuorum, IsBrokenByTakingTheSecondOfThreeDown) {
  UpgradeHistory history("I36");
  history.node("cp2").power_off();
  history.checker->on_node_changed(history.node("cp2"));
  history.clock.run_for(std::chrono::minutes(3));
  history.sends(Call::upgrade, "cp1");
  EXPECT_EQ(history.violation(), "Upgrade left for cp1, and without it 1 of 3 voters are up");
}

TEST(UpgradeQuorum, ForgivesWhatCouldNotBeSeenYet) {
  UpgradeHistory history("I36");
  history.clock.run_for(std::chrono::minutes(3));
  history.node("cp2").power_off();
  history.checker->on_node_changed(history.node("cp2"));
  history.sends(Call::upgrade, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(UpgradeQuorum, LeavesPullsAloneAndWhatTheOperatorAgreedTo) {
  UpgradeHistory history("I36");
  history.node("cp2").power_off();
  history.checker->on_node_changed(history.node("cp2"));
  history.clock.run_for(std::chrono::minutes(3));
  history.sends(Call::pull_image, "cp1");
  history.plan.downtime = true;
  history.sends(Call::upgrade, "cp1");
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
