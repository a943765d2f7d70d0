#include <gtest/gtest.h>
#include <pthread.h>

#include "async/at_once.h"
#include "journal/sqlite_journal.h"
#include "journal/test_story.h"

// The thread between the loop and the file, when something is wrong with one of them.

namespace ichor {

namespace {

class JournalThread : public ::testing::Test {
 protected:
  Result<std::unique_ptr<SqliteJournal>> try_open() {
    return at_once(SqliteJournal::open(
        options_, [this](std::function<void()> function) { loop_.post(std::move(function)); }));
  }
  std::unique_ptr<SqliteJournal> open() {
    auto journal = try_open();
    check(journal.has_value(), "the journal opens");
    check(at_once((*journal)->lock({}, owner_named("a"))).has_value(), "the lock is free");
    return *std::move(journal);
  }

  TempFolder folder_;
  FaultDisk disk_;
  TestLoop loop_;
  SqliteOptions options_ = options_on(folder_, disk_);
};

/// While this lives, new threads need more room than there is.
class NoThreads {
 public:
  NoThreads() {
    check(pthread_getattr_default_np(&before_) == 0, "the default is known");
    pthread_attr_t huge;
    check(pthread_attr_init(&huge) == 0, "there is a default");
    check(pthread_attr_setstacksize(&huge, std::size_t{1} << 47) == 0, "a stack may be large");
    check(pthread_setattr_default_np(&huge) == 0, "the default can be set");
    pthread_attr_destroy(&huge);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  ~NoThreads() {
    check(pthread_setattr_default_np(&before_) == 0, "the default can be set back");
    pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_{};
};

TEST_F(JournalThread, that_cannot_be_started_is_trouble) {
  {
    const NoThreads none;
    const auto failed = try_open();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, Errc::io);
    EXPECT_NE(failed.error().message.find("thread cannot be started"), std::string::npos)
        << failed.error().message;
  }
  EXPECT_TRUE(try_open());
}

TEST_F(JournalThread, an_end_that_cannot_be_written_is_a_failure_like_any_other) {
  const auto journal = open();
  disk_.arm(FaultDisk::Fault::no_space, 1);
  journal->unlock();
  const auto refused = loop_.run(journal->append(loop_.context(), intent_of(1)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::io);
  EXPECT_NE(refused.error().message.find("ENOSPC"), std::string::npos) << refused.error().message;
}

TEST_F(JournalThread, what_waited_behind_a_hanging_commit_is_not_written_after_it_was_given_up) {
  {
    const auto journal = open();
    disk_.hang();
    auto late = journal->append(loop_.context().within(std::chrono::seconds(8)), intent_of(1));
    late.start();
    disk_.wait_until_hanging();
    auto behind = journal->append(loop_.context(), intent_of(2));
    behind.start();
    loop_.run_until([&] { return late.done(); });
    EXPECT_EQ(late.take().error().code, Errc::out_of_time);
    disk_.release();
    loop_.run_until([&] { return behind.done(); });
    EXPECT_EQ(behind.take().error().code, Errc::out_of_time);
  }
  disk_.wait_until_closed();
  const auto next = try_open();
  ASSERT_TRUE(next);
  const auto left = at_once((*next)->read({}));
  ASSERT_TRUE(left);
  ASSERT_EQ(left->size(), 1u);
  EXPECT_EQ(left->front().node.value(), "cp1");
}

}  // namespace

}  // namespace ichor
