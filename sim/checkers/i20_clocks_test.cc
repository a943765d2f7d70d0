#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

JournalRecord record_of(std::uint64_t seq, std::int64_t wall_ms) {
  JournalRecord record;
  record.seq = seq;
  record.wall_ms = wall_ms;
  return record;
}

TEST(JournalOrder, HoldsWhateverTheWallClockSays) {
  History history("I20");
  history.checker->on_durable(record_of(1, 1'767'225'600'000));
  history.checker->on_durable(record_of(2, 0));
  history.checker->on_durable(record_of(3, 1'999'999'999'999));
  EXPECT_EQ(history.violation(), "");
}

TEST(JournalOrder, IsBrokenByAGap) {
  History history("I20");
  history.checker->on_durable(record_of(1, 1));
  history.checker->on_durable(record_of(3, 2));
  EXPECT_EQ(history.violation(), "record 3 follows record 1");
}

TEST(JournalOrder, IsBrokenByTwoRecordsOfOneNumber) {
  History history("I20");
  history.checker->on_durable(record_of(1, 1));
  history.checker->on_durable(record_of(1, 2));
  EXPECT_EQ(history.violation(), "record 1 follows record 1");
}

TEST(JournalOrder, IsBrokenByARecordThatRefersToTheFuture) {
  History history("I20");
  JournalRecord record = record_of(1, 1);
  record.ref = 2;
  history.checker->on_durable(record);
  EXPECT_EQ(history.violation(), "record 1 refers to 2, which is not before it");
}

TEST(JournalOrder, HoldsForTheWholeJournalAtTheEnd) {
  History history("I20");
  history.binds("cp1");
  history.intends(Call::apply_configuration, "cp1");
  history.tells(Call::apply_configuration, "cp1", OutcomeKind::unknown);
  history.checker->at_end();
  EXPECT_EQ(history.violation(), "");
}

TEST(JournalOrder, IsBrokenByAJournalThatWasSorted) {
  const History history("I20");
  const std::vector<JournalRecord> journal = {record_of(2, 1), record_of(1, 2)};
  const Truth truth{history.clock,       history.truth.profile, history.truth.configs,
                    history.truth.nodes, history.truth.fabric,  journal};
  for (const auto& checker : make_checkers(truth)) {
    if (checker->id() != "I20") continue;
    checker->at_end();
    EXPECT_EQ(checker->violation(), "place 1 of the journal holds record 2");
  }
}

}  // namespace
}  // namespace ichor::sim
