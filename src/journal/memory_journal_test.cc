#include "journal/memory_journal.h"

#include <gtest/gtest.h>

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
    check(journal_->lock(owner_named("a")).has_value(), "the lock is free");
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
      ASSERT_TRUE(journal.lock(owner_named("a")));
      auto first = journal.append(loop_.context(), intent_of(1));
      auto second = journal.append(loop_.context(), intent_of(2));
      first.start();
      second.start();
    }
    store.crash(keep);
    EXPECT_EQ(store.records().size(), keep ? 1u : 0u);
    MemoryJournal next(store);
    EXPECT_TRUE(next.lock(owner_named("b")));
  }
}

TEST_F(MemoryJournalTest, the_ghost_of_a_crashed_process_gets_no_answer) {
  const auto in_flight = start(1);
  store_.crash(true);
  const auto late = start(2);
  MemoryJournal next(store_);
  ASSERT_TRUE(next.lock(owner_named("b")));
  EXPECT_EQ(loop_.run(next.append(loop_.context(), intent_of(3))), 2u);
  EXPECT_FALSE(in_flight.done());
  EXPECT_FALSE(late.done());
  EXPECT_EQ(store_.records().size(), 2u);
}

TEST_F(MemoryJournalTest, a_crash_that_nobody_decides_lost_its_commit) {
  { const auto dropped = start(1); }
  journal_.reset();
  MemoryJournal next(store_);
  ASSERT_TRUE(next.lock(owner_named("b")));
  EXPECT_TRUE(store_.records().empty());
}

TEST_F(MemoryJournalTest, the_disk_fails_after_as_many_records_as_it_was_told) {
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

TEST_F(MemoryJournalTest, the_first_failure_is_the_one_that_is_told) {
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
  EXPECT_EQ(journal_->lock(owner_named("b")).error().code, Errc::io);
  EXPECT_EQ(journal_->break_lock("a").error().code, Errc::io);
  ASSERT_TRUE(journal_->holder());
  EXPECT_EQ(journal_->holder()->nonce, "a");
}

TEST_F(MemoryJournalTest, unlocking_commits_what_was_handed_over) {
  const auto first = start(1);
  const auto second = start(2);
  journal_->unlock();
  EXPECT_EQ(store_.records().size(), 2u);
  EXPECT_FALSE(journal_->holder());
}

}  // namespace

}  // namespace ichor
