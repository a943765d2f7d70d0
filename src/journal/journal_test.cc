#include "port/journal.h"

#include <gtest/gtest.h>
#include <memory>
#include <optional>

#include "async/at_once.h"
#include "async/task_group.h"
#include "journal/fault_disk.h"
#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"
#include "journal/test_kit.h"

// The contract of port/journal.h, held to both bodies.

namespace ichor {

namespace {

/// A cluster's state on a disk with SQLite; processes come and go.
class SqliteBody {
 public:
  std::unique_ptr<Journal> process() {
    SqliteOptions options;
    options.folder = folder_.state();
    options.journal_id = "0123456789abcdef";
    options.vfs = disk_.vfs();
    auto opened = at_once(SqliteJournal::open(
        options, [this](std::function<void()> function) { loop_.post(std::move(function)); }));
    check(opened.has_value(), "the journal opens");
    return *std::move(opened);
  }
  TestLoop& loop() { return loop_; }
  void fill_disk() { disk_.arm(FaultDisk::Fault::no_space, 1); }
  void heal_disk() { disk_.heal(); }

 private:
  TestLoop loop_;
  FaultDisk disk_;
  TempFolder folder_;
};

/// The same in memory, with commits that take a virtual millisecond.
class MemoryBody {
 public:
  MemoryBody() { store_.set_commit_delay(std::chrono::milliseconds(1)); }
  std::unique_ptr<Journal> process() { return std::make_unique<MemoryJournal>(store_); }
  TestLoop& loop() { return loop_; }
  void fill_disk() { store_.fail_after(0); }
  void heal_disk() { store_.heal(); }

 private:
  TestLoop loop_;
  MemoryStore store_{loop_};
};

template <class Body>
class JournalContract : public ::testing::Test {
 protected:
  /// A process that has the lock.
  std::unique_ptr<Journal> owner(const std::string& nonce) {
    auto journal = body_.process();
    const auto locked = at_once(journal->lock({}, owner_named(nonce)));
    EXPECT_TRUE(locked) << locked.error().message;
    return journal;
  }
  Result<std::uint64_t> append(Journal& journal, JournalRecord record) {
    return body_.loop().run(journal.append(body_.loop().context(), std::move(record)));
  }
  std::vector<JournalRecord> read(Journal& journal) {
    const auto records = at_once(journal.read({}));
    EXPECT_TRUE(records) << records.error().message;
    return records.value_or(std::vector<JournalRecord>{});
  }

  Body body_;
};

/// The nonce of who holds the lock; empty: it is free.
std::string holder_of(Journal& journal) {
  const auto holder = at_once(journal.holder({}));
  EXPECT_TRUE(holder) << holder.error().message;
  return holder && *holder ? (*holder)->owner.nonce : "";
}

bool runs_here(Journal& journal) {
  const auto holder = at_once(journal.holder({}));
  EXPECT_TRUE(holder) << holder.error().message;
  return holder && *holder && (*holder)->runs_here;
}

using Bodies = ::testing::Types<SqliteBody, MemoryBody>;
TYPED_TEST_SUITE(JournalContract, Bodies);

Task<void> append_into(Journal& journal, Context context, JournalRecord record,
                       std::vector<Result<std::uint64_t>>& answers) {
  answers.push_back(co_await journal.append(context, std::move(record)));
}

std::vector<JournalRecord> intents(int from, int to) {
  std::vector<JournalRecord> records;
  for (int number = from; number <= to; ++number) {
    records.push_back(intent_of(number));
    records.back().seq = static_cast<std::uint64_t>(number);
  }
  return records;
}

TYPED_TEST(JournalContract, a_new_journal_is_empty) {
  const auto journal = this->owner("a");
  EXPECT_TRUE(this->read(*journal).empty());
}

TYPED_TEST(JournalContract, records_come_back_whole_and_in_order) {
  const auto journal = this->owner("a");
  for (int number = 1; number <= 5; ++number) {
    EXPECT_EQ(this->append(*journal, intent_of(number)), static_cast<std::uint64_t>(number));
  }
  EXPECT_EQ(this->read(*journal), intents(1, 5));
}

TYPED_TEST(JournalContract, the_given_sequence_number_is_ignored) {
  const auto journal = this->owner("a");
  JournalRecord record = intent_of(1);
  record.seq = 99;
  EXPECT_EQ(this->append(*journal, record), 1u);
  EXPECT_EQ(this->read(*journal), intents(1, 1));
}

TYPED_TEST(JournalContract, concurrent_appends_get_gapless_numbers_in_the_order_they_were_made) {
  const auto journal = this->owner("a");
  std::vector<Result<std::uint64_t>> answers;
  TaskGroup group(this->body_.loop().context());
  for (int number = 1; number <= 50; ++number) {
    group.spawn(append_into(*journal, this->body_.loop().context(), intent_of(number), answers));
  }
  this->body_.loop().run_until([&] { return answers.size() == 50; });
  for (std::uint64_t number = 1; number <= 50; ++number) EXPECT_EQ(answers[number - 1], number);
  EXPECT_EQ(this->read(*journal), intents(1, 50));
}

TYPED_TEST(JournalContract, acknowledged_records_survive_a_crash) {
  {
    const auto journal = this->owner("a");
    for (int number = 1; number <= 3; ++number) {
      EXPECT_TRUE(this->append(*journal, intent_of(number)));
    }
  }
  const auto journal = this->owner("b");
  EXPECT_EQ(this->read(*journal), intents(1, 3));
  EXPECT_EQ(this->append(*journal, intent_of(4)), 4u);
  EXPECT_EQ(this->read(*journal), intents(1, 4));
}

TYPED_TEST(JournalContract, acknowledged_records_survive_an_orderly_end) {
  {
    const auto journal = this->owner("a");
    EXPECT_TRUE(this->append(*journal, intent_of(1)));
    journal->unlock();
    EXPECT_EQ(holder_of(*journal), "");
  }
  const auto journal = this->owner("b");
  EXPECT_EQ(this->read(*journal), intents(1, 1));
}

TYPED_TEST(JournalContract, a_record_whose_process_died_in_the_middle_is_whole_or_absent) {
  {
    const auto journal = this->owner("a");
    EXPECT_TRUE(this->append(*journal, intent_of(1)));
    Task<Result<std::uint64_t>> dropped =
        journal->append(this->body_.loop().context(), intent_of(2));
    dropped.start();
  }
  const auto journal = this->owner("b");
  const auto left = this->read(*journal);
  EXPECT_TRUE(left == intents(1, 1) || left == intents(1, 2)) << left.size();
  EXPECT_EQ(this->append(*journal, intent_of(3)), left.size() + 1);
}

TYPED_TEST(JournalContract, an_outcome_refers_to_its_intent) {
  const auto journal = this->owner("a");
  const auto intent = this->append(*journal, intent_of(1));
  ASSERT_TRUE(intent);
  JournalRecord outcome = intent_of(2);
  outcome.kind = RecordKind::outcome;
  outcome.ref = *intent;
  outcome.outcome = OutcomeKind::done;
  EXPECT_TRUE(this->append(*journal, outcome));
  const auto records = this->read(*journal);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].ref, 1u);
  EXPECT_EQ(records[1].outcome, OutcomeKind::done);
}

TYPED_TEST(JournalContract, a_cancelled_caller_gets_cancelled_and_harms_no_other) {
  const auto journal = this->owner("a");
  CancelScope scope;
  const Context context = this->body_.loop().context().under(scope);
  std::vector<Result<std::uint64_t>> answers;
  TaskGroup group(this->body_.loop().context());
  group.spawn(append_into(*journal, context, intent_of(1), answers));
  scope.cancel();
  group.spawn(append_into(*journal, context, intent_of(2), answers));
  this->body_.loop().run_until([&] { return answers.size() == 2; });
  // The second one was cancelled before it began and is answered first.
  EXPECT_EQ(answers[0].error().code, Errc::cancelled);
  EXPECT_TRUE(answers[1] || answers[1].error().code == Errc::cancelled);
  EXPECT_TRUE(this->append(*journal, intent_of(3)));
  for (const JournalRecord& record : this->read(*journal)) EXPECT_NE(record.node.value(), "cp2");
}

TYPED_TEST(JournalContract, a_failure_is_final_and_names_its_cause) {
  const auto journal = this->owner("a");
  EXPECT_TRUE(this->append(*journal, intent_of(1)));
  this->body_.fill_disk();
  const auto failed = this->append(*journal, intent_of(2));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::io);
  EXPECT_NE(failed.error().message.find("ENOSPC"), std::string::npos) << failed.error().message;
  this->body_.heal_disk();
  for (int number = 3; number <= 5; ++number) {
    const auto refused = this->append(*journal, intent_of(number));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::io);
    EXPECT_EQ(refused.error().message, failed.error().message);
  }
}

TYPED_TEST(JournalContract, after_a_failure_the_next_process_goes_on_from_what_was_acknowledged) {
  {
    const auto journal = this->owner("a");
    EXPECT_TRUE(this->append(*journal, intent_of(1)));
    this->body_.fill_disk();
    EXPECT_FALSE(this->append(*journal, intent_of(2)));
    journal->unlock();
  }
  this->body_.heal_disk();
  const auto journal = this->owner("b");
  EXPECT_EQ(this->read(*journal), intents(1, 1));
  EXPECT_EQ(this->append(*journal, intent_of(2)), 2u);
}

TYPED_TEST(JournalContract, nothing_is_appended_without_the_lock) {
  const auto journal = this->body_.process();
  const auto refused = this->append(*journal, intent_of(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::locked);
  ASSERT_TRUE(at_once(journal->lock({}, owner_named("a"))));
  EXPECT_EQ(this->append(*journal, intent_of(1)), 1u);
  journal->unlock();
  EXPECT_EQ(this->append(*journal, intent_of(2)).error().code, Errc::locked);
}

TYPED_TEST(JournalContract, a_second_process_is_refused_with_the_holder_and_the_way_out) {
  const auto first = this->owner("nonce-a");
  const auto second = this->body_.process();
  const auto refused = at_once(second->lock({}, {"nonce-b", "desk", "boot-of-desk", 12}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::locked);
  for (const char* fact : {"4711", "desk", "nonce-a", "ichor unlock nonce-a"}) {
    EXPECT_NE(refused.error().message.find(fact), std::string::npos) << refused.error().message;
  }
  EXPECT_EQ(holder_of(*second), "nonce-a");
  first->unlock();
  EXPECT_TRUE(at_once(second->lock({}, owner_named("nonce-b"))));
}

TYPED_TEST(JournalContract, the_lock_of_a_dead_process_of_this_boot_is_taken_over) {
  this->owner("a").reset();
  const auto journal = this->body_.process();
  EXPECT_EQ(holder_of(*journal), "a");
  EXPECT_TRUE(at_once(journal->lock({}, owner_named("b"))));
  EXPECT_EQ(holder_of(*journal), "b");
}

TYPED_TEST(JournalContract, the_lock_of_an_earlier_boot_of_this_host_is_taken_over) {
  this->owner("a").reset();
  const auto journal = this->body_.process();
  EXPECT_TRUE(at_once(journal->lock({}, {"b", "desk", "next-boot-of-desk", 4711})));
}

TYPED_TEST(JournalContract, the_lock_of_another_host_is_kept_until_it_is_broken_by_its_nonce) {
  this->owner("a").reset();
  const auto journal = this->body_.process();
  const LockOwner laptop{"b", "laptop", "boot-of-laptop", 4711};
  EXPECT_EQ(at_once(journal->lock({}, laptop)).error().code, Errc::locked);
  EXPECT_EQ(at_once(journal->break_lock({}, "b")).error().code, Errc::invalid);
  EXPECT_EQ(at_once(journal->lock({}, laptop)).error().code, Errc::locked);
  EXPECT_TRUE(at_once(journal->break_lock({}, "a")));
  EXPECT_EQ(holder_of(*journal), "");
  EXPECT_TRUE(at_once(journal->lock({}, laptop)));
}

TYPED_TEST(JournalContract, tells_whether_the_holder_runs_here) {
  const auto watcher = this->body_.process();
  EXPECT_FALSE(runs_here(*watcher));
  auto holder = this->owner("a");
  EXPECT_TRUE(runs_here(*watcher));
  EXPECT_TRUE(runs_here(*holder));
  holder.reset();
  EXPECT_EQ(holder_of(*watcher), "a") << "a crash leaves its name behind";
  EXPECT_FALSE(runs_here(*watcher));
}

TYPED_TEST(JournalContract, a_free_lock_cannot_be_broken) {
  const auto journal = this->body_.process();
  EXPECT_EQ(at_once(journal->break_lock({}, "")).error().code, Errc::invalid);
  EXPECT_EQ(at_once(journal->break_lock({}, "a")).error().code, Errc::invalid);
}

TYPED_TEST(JournalContract, breaking_the_lock_of_a_living_process_stops_its_writing) {
  const auto stuck = this->owner("a");
  EXPECT_TRUE(this->append(*stuck, intent_of(1)));
  const auto next = this->body_.process();
  ASSERT_TRUE(at_once(next->break_lock({}, "a")));
  // Before anybody else has the lock, and after.
  EXPECT_EQ(this->append(*stuck, intent_of(2)).error().code, Errc::locked);
  ASSERT_TRUE(at_once(next->lock({}, owner_named("b"))));
  EXPECT_EQ(this->append(*stuck, intent_of(2)).error().code, Errc::locked);
  EXPECT_EQ(this->append(*next, intent_of(2)), 2u);
  // Its end does not give back what is no longer its own.
  stuck->unlock();
  EXPECT_EQ(holder_of(*next), "b");
  EXPECT_EQ(this->append(*next, intent_of(3)), 3u);
  EXPECT_EQ(this->read(*next), intents(1, 3));
}

TYPED_TEST(JournalContract, a_lease_that_was_broken_cannot_be_renewed_and_has_a_lower_fence) {
  const auto stuck = this->body_.process();
  EXPECT_EQ(at_once(stuck->renew({})).error().code, Errc::locked) << "it has none yet";
  const auto first = at_once(stuck->lock({}, owner_named("a")));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->owner.nonce, "a");
  EXPECT_EQ(first->length, Duration{}) << "it holds as long as the process lives";
  EXPECT_TRUE(at_once(stuck->renew({})));
  const auto next = this->body_.process();
  ASSERT_TRUE(at_once(next->break_lock({}, "a")));
  EXPECT_EQ(at_once(stuck->renew({})).error().code, Errc::locked);
  const auto second = at_once(next->lock({}, owner_named("b")));
  ASSERT_TRUE(second);
  EXPECT_GT(second->fence, first->fence);
  EXPECT_EQ(this->append(*stuck, intent_of(1)).error().code, Errc::locked);
  EXPECT_EQ(this->append(*next, intent_of(1)), 1u);
}

TYPED_TEST(JournalContract, a_process_can_lock_again_after_it_unlocked) {
  const auto journal = this->owner("a");
  journal->unlock();
  journal->unlock();
  EXPECT_TRUE(at_once(journal->lock({}, owner_named("b"))));
  EXPECT_EQ(this->append(*journal, intent_of(1)), 1u);
}

}  // namespace

}  // namespace ichor
