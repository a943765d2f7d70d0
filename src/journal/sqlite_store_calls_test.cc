#include <cerrno>
#include <filesystem>
#include <gtest/gtest.h>

#include "journal/fault_calls.h"
#include "journal/test_story.h"

// System calls that fail, and what other processes do between two of them.

namespace ichor {

namespace {

namespace fs = std::filesystem;

TEST(SqliteStoreCalls, a_call_that_fails_at_any_point_loses_nothing) {
  int at = 1;
  for (bool fired = true; fired; ++at) {
    TempFolder folder;
    FaultDisk disk;
    const SqliteOptions options = options_on(folder, disk);
    Story story;
    std::string failed;
    {
      FaultCalls calls;
      calls.fail(EIO, at);
      story = live(options, disk);
      failed = calls.failed();
    }
    SCOPED_TRACE("call " + std::to_string(at) + ": " + failed);
    fired = !failed.empty();
    EXPECT_TRUE(fired || !story.failure);
    expect_nothing_lost(options, story);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(at, 60) << "the story has become too short to mean anything";
}

/// Two processes beside each other, and a dead one's name in the lock.
class SqliteStoreRace : public ::testing::Test {
 protected:
  SqliteStoreRace() {
    check(open()->lock(owner_named("dead")).has_value(), "the lock is free");
    mine_ = open();
    other_ = open();
  }
  std::unique_ptr<SqliteStore> open() {
    auto store = SqliteStore::open(options_);
    check(store.has_value(), "the journal opens");
    return *std::move(store);
  }
  std::string lock_file() const { return folder_.state() + "/lock"; }
  /// A new lock file in place of the one that is there.
  void replace_lock_file() {
    overwrite(folder_.state() + "/new", "");
    fs::rename(folder_.state() + "/new", lock_file());
  }

  TempFolder folder_;
  FaultDisk disk_;
  SqliteOptions options_ = options_on(folder_, disk_);
  FaultCalls calls_;
  std::unique_ptr<SqliteStore> mine_;
  std::unique_ptr<SqliteStore> other_;
};

TEST_F(SqliteStoreRace, a_journal_that_another_process_makes_meanwhile_is_opened) {
  TempFolder empty;
  SqliteOptions theirs = options_on(empty, disk_);
  theirs.journal_id = "theirs";
  calls_.before("flock", [&] { check(SqliteStore::open(theirs).has_value(), "they make it"); });
  const auto store = SqliteStore::open(options_on(empty, disk_));
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ((*store)->origin().journal_id, "theirs");
}

TEST_F(SqliteStoreRace, a_lock_that_is_broken_before_it_is_looked_at_again_is_tried_for_again) {
  calls_.before("fcntl", [&] { check(other_->break_lock("dead").has_value(), "it breaks"); });
  ASSERT_TRUE(mine_->lock(owner_named("mine")));
  EXPECT_EQ((*other_->holder())->nonce, "mine");
}

TEST_F(SqliteStoreRace, a_lock_that_is_broken_before_it_is_taken_over_is_tried_for_again) {
  disk_.before_checkpoint([&] { check(other_->break_lock("dead").has_value(), "it breaks"); });
  ASSERT_TRUE(mine_->lock(owner_named("mine")));
  EXPECT_EQ((*other_->holder())->nonce, "mine");
  std::vector<JournalRecord> batch{intent_of(1)};
  EXPECT_TRUE(mine_->append(batch));
}

TEST_F(SqliteStoreRace, a_lock_that_another_process_breaks_and_takes_stays_its_own) {
  disk_.before_checkpoint([&] {
    check(other_->break_lock("dead").has_value(), "it breaks");
    check(other_->lock(owner_named("other")).has_value(), "it is free then");
  });
  const auto refused = mine_->lock(owner_named("mine"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::locked);
  std::vector<JournalRecord> batch{intent_of(1)};
  EXPECT_TRUE(other_->append(batch));
}

TEST_F(SqliteStoreRace, a_lock_file_that_is_replaced_once_is_opened_again) {
  ASSERT_TRUE(mine_->break_lock("dead"));
  calls_.before("fcntl", [&] { replace_lock_file(); });
  ASSERT_TRUE(mine_->lock(owner_named("mine")));
  EXPECT_FALSE(other_->lock(owner_named("other")));
}

TEST_F(SqliteStoreRace, a_lock_file_that_is_always_replaced_is_given_up) {
  calls_.before(
      "fcntl", [&] { replace_lock_file(); }, 1000);
  const auto refused = mine_->lock(owner_named("mine"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::locked);
  EXPECT_NE(refused.error().message.find("try again"), std::string::npos);
}

TEST_F(SqliteStoreRace, a_lock_that_is_just_being_taken_is_refused_without_a_name) {
  ASSERT_TRUE(mine_->break_lock("dead"));
  auto folder = StateFolder::open(folder_.state(), false);
  ASSERT_TRUE(folder);
  auto taking = LockFile::open(*folder);
  ASSERT_TRUE(taking);
  ASSERT_EQ(taking->try_lock(1), true);
  const auto refused = mine_->lock(owner_named("mine"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::locked);
  EXPECT_NE(refused.error().message.find("just being taken"), std::string::npos)
      << refused.error().message;
}

TEST_F(SqliteStoreRace, an_end_gives_nothing_back_that_was_broken_before) {
  ASSERT_TRUE(mine_->lock(owner_named("mine")));
  ASSERT_TRUE(other_->break_lock("mine"));
  ASSERT_TRUE(other_->lock(owner_named("other")));
  const std::string text = bytes_of(lock_file());
  EXPECT_TRUE(mine_->unlock());
  EXPECT_EQ((*other_->holder())->nonce, "other");
  EXPECT_EQ(bytes_of(lock_file()), text);
}

TEST_F(SqliteStoreRace, a_log_that_cannot_be_looked_at_is_trouble_and_no_damage) {
  calls_.fail("read", EIO);
  const auto failed = mine_->lock(owner_named("mine"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::io) << failed.error().message;
  EXPECT_TRUE(mine_->lock(owner_named("mine")));
}

TEST_F(SqliteStoreRace, a_disk_without_shared_memory_cannot_keep_a_journal) {
  TempFolder empty;
  SqliteOptions options = options_on(empty, disk_);
  options.vfs = "unix-dotfile";  // SQLite's own for such disks: it has no log
  const auto refused = SqliteStore::open(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::io);
  EXPECT_NE(refused.error().message.find("cannot keep a log"), std::string::npos)
      << refused.error().message;
  EXPECT_FALSE(fs::exists(empty.state() + "/journal.db"));
}

}  // namespace

}  // namespace ichor
