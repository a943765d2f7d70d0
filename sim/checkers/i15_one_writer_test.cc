#include "async/at_once.h"
#include "journal/memory_journal.h"
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

/// Two runs on a journal whose leases run out.
class OneWriterOnALease : public ::testing::Test {
 protected:
  OneWriterOnALease() {
    history_.truth.store = &store_;
    store_.set_lease_length(std::chrono::minutes(1));
    lock(first_, 1);
    history_.sends(Call::apply_configuration, "cp1");
  }
  void lock(MemoryJournal& journal, int run) {
    check(at_once(journal.lock({}, {"nonce", "sim", "boot", run})).has_value(), "the lock is free");
  }

  History history_{"I15"};
  MemoryStore store_{history_.clock};
  MemoryJournal first_{store_};
  MemoryJournal second_{store_};
};

TEST_F(OneWriterOnALease, AllowsTheNextOneAfterTheLeaseRanOut) {
  history_.passes(std::chrono::minutes(2));
  history_.starts_again();
  lock(second_, 2);
  history_.sends(Call::apply_configuration, "cp2");
  EXPECT_EQ(history_.violation(), "");
}

TEST_F(OneWriterOnALease, IsBrokenByTheOneThatLostItsLease) {
  history_.passes(std::chrono::minutes(2));
  history_.starts_again();
  lock(second_, 2);
  history_.process = 1;
  history_.sends(Call::apply_configuration, "cp2");
  EXPECT_EQ(history_.violation(), "run 1 sent ApplyConfiguration, but run 2 holds the lock");
}

TEST(OneWriter, IsBrokenByAGhost) {
  History history("I15");
  history.crashes();
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_EQ(history.violation(), "run 1 sent ApplyConfiguration although it is not running");
}

}  // namespace
}  // namespace ichor::sim
