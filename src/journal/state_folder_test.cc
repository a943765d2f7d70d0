#include "journal/state_folder.h"

#include <cerrno>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "journal/fault_calls.h"
#include "journal/test_kit.h"

namespace ichor {

namespace {

namespace fs = std::filesystem;

/// A folder of our own, in which another process may do what it likes.
class StateFolderTest : public ::testing::Test {
 protected:
  Result<StateFolder> open(bool create = true) { return StateFolder::open(temp_.state(), create); }
  StateFolder folder() {
    auto opened = open();
    check(opened.has_value(), "the folder opens");
    return *std::move(opened);
  }
  static unsigned mode_of(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 ? found.st_mode & 07777u : 0;
  }
  template <class T>
  static void expect_failure(const Result<T>& result, Errc code, const std::string& fact) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, code) << result.error().message;
    EXPECT_NE(result.error().message.find(fact), std::string::npos) << result.error().message;
  }

  TempFolder temp_;
  FaultCalls calls_;
};

TEST_F(StateFolderTest, missing_folders_are_made_from_where_we_stand) {
  const fs::path before = fs::current_path();
  fs::current_path(temp_.path());
  const auto opened = StateFolder::open("clusters/home//", true);
  fs::current_path(before);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->path(), temp_.path() + "/clusters/home");
  EXPECT_EQ(mode_of(temp_.path() + "/clusters"), 0700u);
}

TEST_F(StateFolderTest, no_name_is_no_folder) {
  expect_failure(StateFolder::open("", true), Errc::invalid, "there is no state folder");
}

TEST_F(StateFolderTest, a_folder_that_another_process_makes_at_the_same_time_is_fine) {
  calls_.before("mkdir", [&] { fs::create_directory(temp_.state()); });
  ASSERT_TRUE(open());
  EXPECT_EQ(mode_of(temp_.state()), 0700u);
}

TEST_F(StateFolderTest, a_folder_that_leads_in_circles_is_no_folder) {
  fs::create_symlink("loop", temp_.path() + "/loop");
  const std::string path = temp_.path() + "/loop/state";
  expect_failure(StateFolder::open(path, false), Errc::unsafe, "must be a folder");
  expect_failure(StateFolder::open(path, true), Errc::io, "ELOOP");
}

TEST_F(StateFolderTest, a_folder_of_another_user_is_not_used) {
  ASSERT_TRUE(open());
  calls_.change_user();
  expect_failure(open(), Errc::unsafe, "belongs to another user");
}

TEST_F(StateFolderTest, a_file_of_another_user_is_not_used) {
  const StateFolder mine = folder();
  overwrite(mine.file("lock"), "");
  calls_.change_user();
  expect_failure(mine.look("lock"), Errc::unsafe, "belongs to another user");
}

TEST_F(StateFolderTest, a_folder_that_is_replaced_while_it_is_opened_is_not_used) {
  fs::create_directory(temp_.state());
  calls_.before("realpath", [&] {
    fs::rename(temp_.state(), temp_.path() + "/old");
    fs::create_directory(temp_.state());
  });
  expect_failure(open(), Errc::unsafe, "was replaced while it was opened");
}

TEST_F(StateFolderTest, a_folder_that_vanishes_while_it_is_opened_is_trouble) {
  fs::create_directory(temp_.state());
  calls_.before("realpath", [&] { fs::remove(temp_.state()); });
  expect_failure(open(), Errc::io, "ENOENT");
}

TEST_F(StateFolderTest, modes_that_cannot_be_taken_back_are_trouble) {
  const StateFolder mine = folder();
  overwrite(mine.file("wide"), "");
  fs::permissions(mine.file("wide"), fs::perms(0644));
  calls_.fail("fchmodat", EPERM);
  expect_failure(mine.look("wide"), Errc::io, "cannot set the mode of: EPERM");
  fs::permissions(temp_.state(), fs::perms(0755));
  calls_.fail("fchmod", EPERM);
  expect_failure(open(), Errc::io, "cannot set the mode of: EPERM");
}

TEST_F(StateFolderTest, a_file_that_may_not_be_written_is_named) {
  const StateFolder mine = folder();
  overwrite(mine.file("journal.db"), "");
  EXPECT_TRUE(mine.check_writable("journal.db"));
  calls_.fail("faccessat", EROFS);
  expect_failure(mine.check_writable("journal.db"), Errc::io, "journal.db: cannot write: EROFS");
}

TEST_F(StateFolderTest, a_link_in_place_of_a_file_is_said_to_be_one) {
  const StateFolder mine = folder();
  fs::create_symlink(temp_.path(), mine.file("lock"));
  expect_failure(mine.open_file("lock"), Errc::unsafe, "not a link");
}

TEST_F(StateFolderTest, a_missing_file_is_as_good_as_removed) {
  const StateFolder mine = folder();
  EXPECT_TRUE(mine.remove_file("none"));
  calls_.fail("unlinkat", EROFS);
  expect_failure(mine.remove_file("none"), Errc::io, "cannot remove: EROFS");
}

TEST_F(StateFolderTest, waiting_for_others_goes_on_after_a_signal) {
  const StateFolder mine = folder();
  calls_.fail("flock", EINTR);
  EXPECT_TRUE(mine.exclude_others());
  EXPECT_EQ(calls_.failed(), "flock");
}

}  // namespace

}  // namespace ichor
