#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

void targets(History& history, const std::string& name, const std::string& machine) {
  history.records(RecordKind::bootstrap_target, name,
                  encode_identity(history.node(machine).spec().hardware, {}));
}

TEST(FixedTarget, HoldsWhenTheTargetIsRecordedFirst) {
  History history("I2");
  targets(history, "cp1", "cp1");
  history.sends(Call::bootstrap, "cp1");
  history.starts_again();
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(FixedTarget, IsBrokenByBootstrapBeforeTheRecord) {
  History history("I2");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "Bootstrap left for cp1 before any target was durable");
}

TEST(FixedTarget, IsBrokenByBootstrapOfAnotherNode) {
  History history("I2");
  targets(history, "cp1", "cp1");
  history.sends(Call::bootstrap, "cp2");
  EXPECT_EQ(history.violation(), "Bootstrap left for cp2, but the target is cp1");
}

TEST(FixedTarget, IsBrokenByAnotherMachineUnderTheSameName) {
  History history("I2");
  targets(history, "cp1", "cp2");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("another machine"));
}

TEST(FixedTarget, IsBrokenByAChangeOfMind) {
  History history("I2");
  targets(history, "cp1", "cp1");
  targets(history, "cp2", "cp2");
  EXPECT_EQ(history.violation(), "the bootstrap target changed from cp1 to cp2");
}

TEST(FixedTarget, AllowsAnotherTargetAfterTheOperatorExcludedTheFirst) {
  History history("I2");
  targets(history, "cp1", "cp1");
  history.records(RecordKind::node_excluded, "cp1");
  targets(history, "cp2", "cp2");
  history.sends(Call::bootstrap, "cp2");
  EXPECT_EQ(history.violation(), "");
}

TEST(FixedTarget, LeavesOtherCallsAlone) {
  History history("I2");
  history.sends(Call::apply_configuration, "cp2");
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
