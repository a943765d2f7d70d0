#include "journal/memory_journal.h"

#include <gtest/gtest.h>

#include "async/at_once.h"
#include "async/task_group.h"
#include "journal/test_kit.h"

namespace ichor {

namespace {

constexpr Duration kCommit = std::chrono::milliseconds(2);

class MemoryJournalTest : public ::testing::Test {
 protected:
  MemoryJournalTest() {
    store_.set_commit_delay(kCommit);
    journal_.emplace(store_);
    check(at_once(journal_->lock({}, owner_named("a"))).has_value(), "the lock is free");
  }
  Task<Result<std::uint64_t>> start(int number) {
    auto task = journal_->append(loop_.context(), intent_of(number));
    task.start();
    return task;
  }

  TestLoop loop_;
  MemoryStore store_{loop_};
  std::optional<MemoryJournal> journal_;
};

TEST_F(MemoryJournalTest, a_commit_takes_its_time) {
  const MonoTime before = loop_.now();
  EXPECT_TRUE(loop_.run(journal_->append(loop_.context(), intent_of(1))));
  EXPECT_EQ(loop_.now() - before, kCommit);
}

TEST_F(MemoryJournalTest, what_comes_during_a_commit_shares_the_next_one) {
  std::vector<Task<Result<std::uint64_t>>> tasks;
  for (int number = 1; number <= 4; ++number) tasks.push_back(start(number));
  EXPECT_EQ(store_.in_flight().size(), 1u);
  const MonoTime before = loop_.now();
  loop_.run_until([&] { return tasks.back().done(); });
  EXPECT_EQ(loop_.now() - before, 2 * kCommit);
  EXPECT_EQ(store_.records().size(), 4u);
}

TEST_F(MemoryJournalTest, a_crash_may_keep_the_commit_it_met_but_nothing_behind_it) {
  for (const bool keep : {false, true}) {
    MemoryStore store(loop_);
    store.set_commit_delay(kCommit);
    {
      MemoryJournal journal(store);
      ASSERT_TRUE(at_once(journal.lock({}, owner_named("a"))));
      auto first = journal.append(loop_.context(), intent_of(1));
      auto second = journal.append(loop_.context(), intent_of(2));
      first.start();
      second.start();
    }
    store.crash(keep);
    EXPECT_EQ(store.records().size(), keep ? 1u : 0u);
    MemoryJournal next(store);
    EXPECT_TRUE(at_once(next.lock({}, owner_named("b"))));
  }
}

TEST_F(MemoryJournalTest, the_ghost_of_a_crashed_process_gets_no_answer) {
  const auto in_flight = start(1);
  store_.crash(true);
  const auto late = start(2);
  MemoryJournal next(store_);
  ASSERT_TRUE(at_once(next.lock({}, owner_named("b"))));
  EXPECT_EQ(loop_.run(next.append(loop_.context(), intent_of(3))), 2u);
  EXPECT_FALSE(in_flight.done());
  EXPECT_FALSE(late.done());
  EXPECT_EQ(store_.records().size(), 2u);
}

TEST_F(MemoryJournalTest, an_undecided_crash_lost_its_commit) {
  { const auto dropped = start(1); }
  journal_.reset();
  MemoryJournal next(store_);
  ASSERT_TRUE(at_once(next.lock({}, owner_named("b"))));
  EXPECT_TRUE(store_.records().empty());
}

TEST_F(MemoryJournalTest, the_disk_fails_after_the_given_number_of_records) {
  store_.fail_after(2, MemoryStore::Fault::io_error);
  EXPECT_TRUE(loop_.run(journal_->append(loop_.context(), intent_of(1))));
  EXPECT_TRUE(loop_.run(journal_->append(loop_.context(), intent_of(2))));
  const auto failed = loop_.run(journal_->append(loop_.context(), intent_of(3)));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::io);
  EXPECT_NE(failed.error().message.find("EIO"), std::string::npos);
  // It may be on the disk all the same, as after a failed fsync.
  store_.crash(true);
  EXPECT_EQ(store_.records().size(), 3u);
}

TEST_F(MemoryJournalTest, a_disk_slower_than_the_caller_can_wait_is_a_failed_one) {
  const Context impatient = loop_.context().within(kCommit / 2);
  const auto late = loop_.run(journal_->append(impatient, intent_of(1)));
  EXPECT_EQ(late.error().code, Errc::out_of_time);
  const auto refused = loop_.run(journal_->append(loop_.context(), intent_of(2)));
  EXPECT_EQ(refused.error().code, Errc::out_of_time);
}

TEST_F(MemoryJournalTest, a_record_that_became_durable_meanwhile_is_not_called_off) {
  CancelScope scope;
  // Due in the same instant as the commit, and before it.
  loop_.call_at(later(loop_.now(), kCommit), [&] { scope.cancel(); });
  EXPECT_EQ(loop_.run(journal_->append(loop_.context().under(scope), intent_of(1))), 1u);
}

TEST_F(MemoryJournalTest, the_first_failure_is_the_one_that_is_reported) {
  store_.fail_after(0);
  auto late = journal_->append(loop_.context().within(kCommit / 2), intent_of(1));
  EXPECT_EQ(loop_.run(std::move(late)).error().code, Errc::out_of_time);
  const auto refused = loop_.run(journal_->append(loop_.context(), intent_of(2)));
  EXPECT_EQ(refused.error().code, Errc::out_of_time);
  // The commit ends, and its disk was full.
  loop_.run_until([&] { return loop_.now() == MonoTime{} + kCommit; });
  EXPECT_EQ(loop_.run(journal_->append(loop_.context(), intent_of(3))).error().code,
            Errc::out_of_time);
}

TEST_F(MemoryJournalTest, a_failed_journal_neither_takes_nor_breaks_a_lock) {
  store_.fail_after(0);
  EXPECT_FALSE(loop_.run(journal_->append(loop_.context(), intent_of(1))));
  journal_->unlock();
  EXPECT_EQ(at_once(journal_->lock({}, owner_named("b"))).error().code, Errc::io);
  EXPECT_EQ(at_once(journal_->break_lock({}, "a")).error().code, Errc::io);
  ASSERT_TRUE(store_.owner());
  EXPECT_EQ(store_.owner()->nonce, "a");
}

class LeaseTest : public MemoryJournalTest {
 protected:
  static constexpr Duration kLease = std::chrono::minutes(1);

  LeaseTest() {
    journal_->unlock();
    store_.set_lease_length(kLease);
    check(at_once(journal_->lock({}, owner_named("a"))).has_value(), "the lock is free");
  }
  void pass(Duration time) {
    const MonoTime until = later(loop_.now(), time);
    loop_.call_at(until, [] {});
    loop_.run_until([&] { return loop_.now() >= until; });
  }
  Result<std::uint64_t> append(MemoryJournal& journal, int number) {
    return loop_.run(journal.append(loop_.context(), intent_of(number)));
  }

  MemoryJournal other_{store_};
};

TEST_F(LeaseTest, holds_while_its_holder_is_heard_of) {
  for (int number = 1; number <= 3; ++number) {
    pass(kLease / 2);
    EXPECT_TRUE(append(*journal_, number));
    pass(kLease / 2);
    EXPECT_TRUE(at_once(journal_->renew({})));
    EXPECT_EQ(at_once(other_.lock({}, owner_named("b"))).error().fault, FaultId("L7"));
  }
}

TEST_F(LeaseTest, that_ran_out_is_taken_from_a_holder_that_lives_and_fences_it_off) {
  EXPECT_TRUE(append(*journal_, 1));
  pass(kLease);
  const auto taken = at_once(other_.lock({}, owner_named("b")));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->fence, 3u) << "after the two of the holder before";
  EXPECT_EQ(taken->length, kLease);
  EXPECT_EQ(store_.outlived()->nonce, "a");
  const auto refused = append(*journal_, 2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::locked);
  EXPECT_NE(refused.error().message.find("ran out"), std::string::npos);
  EXPECT_EQ(at_once(journal_->renew({})).error().code, Errc::locked);
  EXPECT_EQ(append(other_, 2), 2u);
}

TEST_F(LeaseTest, is_lost_by_an_append_that_was_under_way) {
  pass(kLease - kCommit / 2);
  auto late = start(1);
  pass(kCommit / 2);
  ASSERT_TRUE(at_once(other_.lock({}, owner_named("b"))));
  loop_.run_until([&] { return late.done(); });
  EXPECT_EQ(late.take().error().code, Errc::locked);
  EXPECT_TRUE(store_.records().empty());
}

TEST_F(LeaseTest, that_expired_and_that_no_other_took_is_still_its_holders) {
  pass(2 * kLease);
  EXPECT_FALSE((*at_once(other_.holder({})))->runs_here);
  EXPECT_TRUE(at_once(journal_->renew({})));
  EXPECT_TRUE(append(*journal_, 1));
  EXPECT_FALSE(at_once(other_.lock({}, owner_named("b"))));
}

TEST_F(MemoryJournalTest, unlocking_commits_what_was_handed_over) {
  const auto first = start(1);
  const auto second = start(2);
  journal_->unlock();
  EXPECT_EQ(store_.records().size(), 2u);
  EXPECT_FALSE(store_.owner());
}

}  // namespace

}  // namespace ichor
