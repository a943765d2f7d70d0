#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

TEST(RightNode, HoldsForTheBoundMachineProvedOnThisConnection) {
  History history("I5");
  history.reads(Call::identity, "cp1");
  history.binds("cp1");
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(RightNode, IsBrokenWithoutAnIdentityOnThisConnection) {
  History history("I5");
  history.reads(Call::identity, "cp1");
  history.binds("cp1");
  ++history.session;
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("identity was not read on this connection"));
}

TEST(RightNode, IsBrokenByAnIdentityThatWasAskedForButNotReported) {
  History history("I5");
  history.binds("cp1");
  history.sends(Call::identity, "cp1");
  history.is_lost(Call::identity, "cp1");
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("identity was not read on this connection"));
}

TEST(RightNode, IsBrokenByAMutationOfAnUnboundNode) {
  History history("I5");
  history.reads(Call::identity, "cp1");
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("no machine was bound"));
}

TEST(RightNode, IsBrokenByABindingOfAnotherMachine) {
  History history("I5");
  history.reads(Call::identity, "cp1");
  history.records(RecordKind::identity_bound, "cp1",
                  encode_identity(history.node("cp2").spec().hardware, {}));
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("the journal binds another machine"));
}

TEST(RightNode, IsBrokenByAnotherMachineAtTheOtherEnd) {
  History history("I5");
  history.binds("cp1");
  Request read = history.request(Call::identity, "cp1");
  read.node = &history.node("cp2");
  history.checker->on_reply(read, Reply{});
  Request apply = history.request(Call::apply_configuration, "cp1");
  apply.node = &history.node("cp2");
  history.checker->on_request(apply);
  EXPECT_THAT(history.violation(), testing::HasSubstr("another machine is at the other end"));
}

TEST(RightNode, IsBrokenByHardwareThatTheProfileDoesNotDeclare) {
  History history("I5");
  history.profile().nodes.front().uuid = MachineUuid("00000000-0000-4000-8000-000000000001");
  history.reads(Call::identity, "cp1");
  history.binds("cp1");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("the profile declares another machine"));
}

TEST(RightNode, ForgetsTheProofsOfAProcessThatCrashed) {
  History history("I5");
  history.reads(Call::identity, "cp1");
  history.binds("cp1");
  history.crashes();
  history.starts_again();
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_THAT(history.violation(), testing::HasSubstr("identity was not read on this connection"));
}

}  // namespace
}  // namespace ichor::sim
