#include "sim/canaries.h"
#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

void says(History& history, std::string text) {
  Event event;
  event.text = std::move(text);
  history.checker->on_event(1, event);
}

TEST(NoSecretLeaves, HoldsForPlainWords) {
  History history("I11");
  says(history, "cp1 is in maintenance mode");
  history.records(RecordKind::run_started, "", "0123456789abcdef");
  history.ends(Exit::failed, "out of time");
  EXPECT_EQ(history.violation(), "");
}

TEST(NoSecretLeaves, IsBrokenByEverySecretInAnEvent) {
  for (const Canary& canary : canaries()) {
    History history("I11");
    says(history, "config: " + std::string(canary.value) + "!");
    EXPECT_EQ(history.violation(), "an event of run 1 gives away " + std::string(canary.name));
  }
  EXPECT_GE(canaries().size(), 12u);
}

TEST(NoSecretLeaves, IsBrokenByASecretInDisguise) {
  const char* disguises[] = {
      "c4naryBird%2Fetcd%2Bca%3Dkey09",                    // URL
      "63346e617279426972642f657463642b63613d6b65793039",  // hex
      "63346E617279426972642F657463642B63613D6B65793039",
      "YzRuYXJ5QmlyZC9ldGNkK2NhPWtleTA5",      // base64 of the secret alone
      "eGM0bmFyeUJpcmQvZXRjZCtjYT1rZXkwOQ==",  // after one letter, after two
      "eHhjNG5hcnlCaXJkL2V0Y2QrY2E9a2V5MDk=",
  };
  for (const char* disguise : disguises) {
    History history("I11");
    says(history, disguise);
    EXPECT_THAT(history.violation(), testing::HasSubstr("cluster.etcd.ca.key")) << disguise;
  }
}

TEST(NoSecretLeaves, IsBrokenByASecretInTheJournal) {
  History history("I11");
  history.records(RecordKind::outcome, "cp1", std::string(canaries()[0].value));
  EXPECT_EQ(history.violation(), "record 1 gives away machine.ca.key");
}

TEST(NoSecretLeaves, IsBrokenByASecretInAVerdict) {
  History history("I11");
  history.ends(Exit::failed, "refused: " + std::string(canaries()[1].value));
  EXPECT_EQ(history.violation(), "the verdict of run 1 gives away machine.token");
}

TEST(NoSecretLeaves, AllowsTheKubeconfigAndNoOtherFile) {
  History history("I11");
  history.checker->on_written({1, "kubeconfig", canaries()[13].value});
  EXPECT_EQ(history.violation(), "");
  history.checker->on_written({1, "report", canaries()[13].value});
  EXPECT_EQ(history.violation(), "the file report gives away kubeconfig client-key-data");
}

}  // namespace
}  // namespace ichor::sim
