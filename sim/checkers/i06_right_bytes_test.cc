#include "sim/checkers/history.h"
#include "sim/node/digest.h"

namespace ichor::sim {
namespace {

void fix_secrets(History& history) {
  history.records(RecordKind::secrets_fixed, "", to_hex(history.configs().secrets_fingerprint));
}

TEST(RightBytes, HoldsForTheRenderedConfigThatTheJournalNames) {
  History history("I6");
  fix_secrets(history);
  history.intends(Call::apply_configuration, "w1");
  history.sends(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "");
}

TEST(RightBytes, IsBrokenByTheConfigOfAnotherNode) {
  History history("I6");
  fix_secrets(history);
  history.intends(Call::apply_configuration, "w1");
  Request request = history.request(Call::apply_configuration, "w1");
  request.payload = history.configs().nodes.at(NodeName("cp1")).digest;
  history.checker->on_request(request);
  EXPECT_EQ(history.violation(), "a config left for w1: it is not the one rendered for it");
}

TEST(RightBytes, IsBrokenByAnIntentThatNamesOtherBytes) {
  History history("I6");
  fix_secrets(history);
  JournalRecord intent;
  intent.kind = RecordKind::intent;
  intent.node = NodeName("w1");
  intent.call = Call::apply_configuration;
  intent.value = to_hex(quick_digest("an older config"));
  history.records(intent);
  history.sends(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "a config left for w1: the journal names other bytes");
}

TEST(RightBytes, IsBrokenByTheOtherRole) {
  History history("I6");
  fix_secrets(history);
  history.configs().nodes.at(NodeName("w1")).role = Role::control_plane;
  history.intends(Call::apply_configuration, "w1");
  history.sends(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "a config left for w1: it is of the other role");
}

TEST(RightBytes, IsBrokenBySecretsThatWereNotFixed) {
  History history("I6");
  history.intends(Call::apply_configuration, "w1");
  history.sends(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "a config left for w1: the secrets were not fixed before");
}

TEST(RightBytes, IsBrokenByOtherSecretsThanTheFixedOnes) {
  History history("I6");
  fix_secrets(history);
  history.configs().secrets_fingerprint = quick_digest("regenerated secrets");
  history.intends(Call::apply_configuration, "w1");
  history.sends(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "a config left for w1: the secrets are not the fixed ones");
}

TEST(RightBytes, LeavesBootstrapAlone) {
  History history("I6");
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
