#include "sim/checkers/upgrade_history.h"

namespace ichor::sim {
namespace {

class OneAtATimeTest : public testing::Test {
 protected:
  void goes_down(const std::string& name) {
    history_.takes_effect(Call::upgrade, name);
    history_.node(name).power_off();
  }
  void comes_back(const std::string& name) {
    history_.node(name).power_on();
    history_.passes(std::chrono::minutes(5));
  }

  UpgradeHistory history_{"I37"};
};

TEST_F(OneAtATimeTest, HoldsForOneAfterAnother) {
  goes_down("cp1");
  comes_back("cp1");
  history_.sends(Call::upgrade, "cp2");
  EXPECT_EQ(history_.violation(), "");
}

TEST_F(OneAtATimeTest, IsBrokenByASecondOneThatGoesWhileTheFirstIsDown) {
  goes_down("cp1");
  history_.sends(Call::upgrade, "cp2");
  EXPECT_EQ(history_.violation(), "Upgrade left for cp2 while cp1 is down for its upgrade");
}

TEST_F(OneAtATimeTest, AllowsTheSameOneAgainAndWorkersBesides) {
  goes_down("cp1");
  history_.sends(Call::upgrade, "cp1");
  history_.sends(Call::upgrade, "w1");
  EXPECT_EQ(history_.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
