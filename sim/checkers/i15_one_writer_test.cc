#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

TEST(OneWriter, HoldsForOneRunAfterTheOther) {
  History history("I15");
  history.sends(Call::apply_configuration, "cp1");
  history.crashes();
  history.starts_again();
  history.sends(Call::apply_configuration, "cp1");
  history.ends(Exit::failed);
  history.starts_again();
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(OneWriter, IsBrokenByTwoWhoWriteAtATime) {
  History history("I15");
  history.sends(Call::apply_configuration, "cp1");
  history.starts_again();
  history.sends(Call::apply_configuration, "cp2");
  EXPECT_THAT(history.violation(), testing::HasSubstr("run 2 sent ApplyConfiguration"));
}

TEST(OneWriter, AllowsARivalThatOnlyLooks) {
  History history("I15");
  history.sends(Call::apply_configuration, "cp1");
  history.starts_again();
  history.reads(Call::machine_status, "cp1");
  history.ends(Exit::unsafe);
  history.process = 1;
  history.sends(Call::apply_configuration, "cp2");
  EXPECT_EQ(history.violation(), "");
}

TEST(OneWriter, IsBrokenByARivalThatWaitedForItsTurn) {
  History history("I15");
  history.sends(Call::apply_configuration, "cp1");
  history.starts_again();
  history.process = 1;
  history.ends(Exit::done);
  history.process = 2;
  history.sends(Call::apply_configuration, "cp2");
  EXPECT_THAT(history.violation(), testing::HasSubstr("it began before run 1"));
}

TEST(OneWriter, IsBrokenByAGhost) {
  History history("I15");
  history.crashes();
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_EQ(history.violation(), "run 1 sent ApplyConfiguration although it is not running");
}

}  // namespace
}  // namespace ichor::sim
