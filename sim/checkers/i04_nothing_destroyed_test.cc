#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;

void put_data_on_the_disk(NodeSpec& spec) { spec.disks.front().has_volumes = true; }

TEST(NothingDestroyed, HoldsForInstallsOnEmptyDisks) {
  History history("I4");
  history.sends(Call::apply_configuration, "cp1");
  history.comes_up();
  EXPECT_EQ(history.violation(), "");
}

TEST(NothingDestroyed, IsBrokenByAnInstallOverData) {
  History history("I4", put_data_on_the_disk);
  history.node("w1").power_on();
  history.passes(minutes(1));
  history.take_config(history.node("w1"));
  history.takes_effect(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "");
  history.passes(minutes(2));
  EXPECT_EQ(history.violation(), "the install of w1 overwrote disk DISK-w1, which held data");
}

TEST(NothingDestroyed, IsBrokenByAConfigForAMemberOfEtcd) {
  History history("I4");
  history.comes_up();
  history.takes_effect(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "");
  history.takes_effect(Call::apply_configuration, "cp2");
  EXPECT_EQ(history.violation(), "a config was put on cp2, which holds etcd data");
}

}  // namespace
}  // namespace ichor::sim
