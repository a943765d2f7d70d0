#include "phase/ledger.h"

#include <gtest/gtest.h>

#include "async/at_once.h"
#include "async/task_group.h"
#include "journal/memory_journal.h"
#include "sim/process_clock.h"
#include "sim/virtual_clock.h"

namespace ichor {
namespace {

constexpr Duration kLease = std::chrono::minutes(2);
constexpr Duration kCommit = std::chrono::milliseconds(2);

/// A run whose journal is a store with leases that run out, and another run that wants to act.
class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    store_.set_lease_length(kLease);
    store_.set_commit_delay(kCommit);
    auto lease = at_once(journal_.lock(context_, {"first", "host", "boot", 1}));
    check(lease.has_value(), "the lock is free");
    ledger_.emplace(context_, journal_, RunId("run"), *std::move(lease));
  }

  static JournalRecord record(RecordKind kind) {
    JournalRecord result;
    result.kind = kind;
    result.call = Call::bootstrap;
    return result;
  }
  bool other_takes_over() {
    return at_once(other_.lock(context_, {"second", "elsewhere", "boot", 2})).has_value();
  }
  /// Appends while the process pauses after its record went out, and another one may come.
  Result<std::uint64_t> append_over_pause(sim::Pause how, RecordKind kind, bool rival) {
    auto appending = ledger_->append(record(kind));
    appending.start();
    process_.pause();
    world_.run_for(2 * kLease);
    EXPECT_FALSE(appending.done());
    EXPECT_EQ(rival && other_takes_over(), rival);
    process_.go_on(how);
    world_.run_for(std::chrono::seconds(1));
    check(appending.done(), "an append ends");
    return appending.take();
  }

  sim::VirtualClock world_;
  sim::ProcessClock process_{world_};
  CancelScope scope_;
  Context context_{&process_, &scope_};
  MemoryStore store_{world_};
  MemoryJournal journal_{store_};
  MemoryJournal other_{store_};
  std::optional<Ledger> ledger_;
};

TEST_F(LedgerTest, DoesNotLetARunActThatLostItsLeaseAfterItsRecordWasKept) {
  const auto seq = append_over_pause(sim::Pause::stopped, RecordKind::intent, true);
  ASSERT_FALSE(seq);
  EXPECT_EQ(seq.error().code, Errc::locked);
  EXPECT_EQ(store_.records().size(), 1u) << "the intent stays open, which means unknown";
  EXPECT_TRUE(ledger_->broken());
}

TEST_F(LedgerTest, SeesASleepOfItsMachineThatTheMonotonicClockDoesNot) {
  const auto seq = append_over_pause(sim::Pause::suspended, RecordKind::intent, true);
  ASSERT_FALSE(seq);
  EXPECT_EQ(seq.error().code, Errc::locked);
}

TEST_F(LedgerTest, LetsARunActThatOversleptALeaseThatNoOtherTook) {
  EXPECT_EQ(append_over_pause(sim::Pause::stopped, RecordKind::intent, false), 1u);
  EXPECT_FALSE(ledger_->broken());
  EXPECT_FALSE(other_takes_over()) << "it was renewed";
}

TEST_F(LedgerTest, WritesNothingMoreAfterTheLeaseWasLost) {
  EXPECT_TRUE(append_over_pause(sim::Pause::stopped, RecordKind::observed, true));
  auto next = ledger_->append(record(RecordKind::outcome));
  next.start();
  world_.run_for(std::chrono::seconds(1));
  EXPECT_EQ(next.take().error().code, Errc::locked);
  EXPECT_EQ(store_.records().size(), 1u);
}

TEST_F(LedgerTest, KeepsTheLeaseOfARunThatHasNothingToSay) {
  TaskGroup beside(context_);
  beside.spawn(ledger_->keep_lease(context_));
  world_.run_for(10 * kLease);
  EXPECT_FALSE(other_takes_over());
  process_.pause();
  world_.run_for(2 * kLease);
  EXPECT_TRUE(other_takes_over());
  process_.go_on(sim::Pause::stopped);
  world_.run_for(kLease);
  EXPECT_TRUE(ledger_->broken());
  EXPECT_NE(ledger_->trouble().message.find("another ichor took it"), std::string::npos);
}

}  // namespace
}  // namespace ichor
