#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

TEST(JournalIntegrity, HoldsForAJournalThatOnlyGrows) {
  History history("I9");
  history.records(RecordKind::run_started, "");
  history.crashes();
  history.starts_again();
  history.records(RecordKind::run_started, "");
  history.ends(Exit::done);
  history.checker->at_end();
  EXPECT_EQ(history.violation(), "");
}

TEST(JournalIntegrity, IsBrokenByARecordThatChanges) {
  History history("I9");
  history.records(RecordKind::bootstrap_target, "cp1");
  history.records(RecordKind::observed, "cp2");
  history.journal()[0].node = NodeName("cp3");
  history.checker->at_end();
  EXPECT_EQ(history.violation(), "record 1 is not what it was when it became durable");
}

TEST(JournalIntegrity, IsBrokenByRecordsThatDisappear) {
  History history("I9");
  history.records(RecordKind::bootstrap_target, "cp1");
  history.crashes();
  history.journal().clear();
  history.starts_again();
  EXPECT_EQ(history.violation(), "1 of 1 durable records are gone");
}

TEST(JournalIntegrity, IsBrokenByAMutationOverADamagedJournal) {
  History history("I9");
  history.crashes();
  history.checker->on_journal_damaged(true);
  history.starts_again();
  history.sends(Call::machine_status, "cp1");
  EXPECT_EQ(history.violation(), "");
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_EQ(history.violation(),
            "ApplyConfiguration left for cp1 from a run that found a damaged journal");
}

TEST(JournalIntegrity, IsBrokenByARunThatTakesDamageForAFreshStart) {
  History history("I9");
  history.crashes();
  history.checker->on_journal_damaged(true);
  history.starts_again();
  history.ends(Exit::failed);
  EXPECT_EQ(history.violation(), "run 2 found a damaged journal and ended with 1");
}

TEST(JournalIntegrity, HoldsForARunThatStopsAtDamage) {
  History history("I9");
  history.crashes();
  history.checker->on_journal_damaged(true);
  history.starts_again();
  history.ends(Exit::unsafe);
  history.checker->on_journal_damaged(false);
  history.starts_again();
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
