#include "sim/checkers/history.h"
#include "sim/node/digest.h"

namespace ichor::sim {
namespace {

TEST(SecretsFixed, HoldsForOneBundleOverManyRuns) {
  History history("I10");
  history.records(RecordKind::secrets_fixed, "", to_hex(quick_digest("secrets")));
  history.sends(Call::apply_configuration, "cp1");
  history.crashes();
  history.starts_again();
  history.sends(Call::bootstrap, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(SecretsFixed, IsBrokenByAConfigUnderNewSecrets) {
  History history("I10");
  history.sends(Call::apply_configuration, "cp1");
  history.configs().secrets_fingerprint = quick_digest("regenerated");
  history.sends(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(),
            "ApplyConfiguration left for w1 under other secrets than those sent before");
}

TEST(SecretsFixed, AllowsNewSecretsBeforeAnythingWasSent) {
  History history("I10");
  history.configs().secrets_fingerprint = quick_digest("regenerated");
  history.sends(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "");
}

TEST(SecretsFixed, IsBrokenByAJournalThatFixesTwoBundles) {
  History history("I10");
  history.records(RecordKind::secrets_fixed, "", to_hex(quick_digest("secrets")));
  history.records(RecordKind::secrets_fixed, "", to_hex(quick_digest("regenerated")));
  EXPECT_EQ(history.violation(), "record 2 fixes other secrets than before");
}

}  // namespace
}  // namespace ichor::sim
