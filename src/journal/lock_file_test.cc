#include "journal/lock_file.h"

#include <cerrno>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "journal/fault_calls.h"
#include "journal/test_kit.h"

namespace ichor {

namespace {

class LockFileTest : public ::testing::Test {
 protected:
  LockFileTest() : folder_(open_folder()) {}

  StateFolder open_folder() const {
    auto opened = StateFolder::open(temp_.state(), true);
    check(opened.has_value(), "the folder opens");
    return *std::move(opened);
  }
  LockFile open_lock() const {
    auto opened = LockFile::open(folder_);
    check(opened.has_value(), "the lock file opens");
    return *std::move(opened);
  }

  TempFolder temp_;
  StateFolder folder_;
  FaultCalls calls_;
};

TEST_F(LockFileTest, one_generation_is_held_by_one_and_the_next_one_by_another) {
  LockFile first = open_lock();
  LockFile second = open_lock();
  EXPECT_EQ(first.try_lock(0), true);
  EXPECT_EQ(second.try_lock(0), false);
  EXPECT_EQ(second.try_lock(1), true);
}

TEST_F(LockFileTest, a_lock_that_is_held_is_no_error_by_either_of_its_names) {
  LockFile lock = open_lock();
  calls_.fail("fcntl", EACCES);
  EXPECT_EQ(lock.try_lock(0), false);
  calls_.fail("fcntl", ENOLCK);
  const auto failed = lock.try_lock(0);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::io);
  EXPECT_EQ(failed.error().message.rfind("cannot lock the lock file: ENOLCK", 0), 0u)
      << failed.error().message;
}

TEST_F(LockFileTest, knows_whether_its_name_still_leads_to_it) {
  const LockFile lock = open_lock();
  EXPECT_EQ(lock.in_place(folder_), true);
  std::filesystem::rename(folder_.file("lock"), folder_.file("old"));
  EXPECT_EQ(lock.in_place(folder_), false);
  overwrite(folder_.file("lock"), "");
  EXPECT_EQ(lock.in_place(folder_), false);
}

TEST_F(LockFileTest, half_a_text_is_a_full_disk) {
  LockFile lock = open_lock();
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit tight {
    4, before.rlim_max
  };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto written = lock.write("nonce a\n");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("ENOSPC"), std::string::npos) << written.error().message;
  EXPECT_EQ(bytes_of(folder_.file("lock")), "nonc");
}

}  // namespace

}  // namespace ichor
