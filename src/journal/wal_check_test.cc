#include "journal/wal_check.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "journal/fault_disk.h"
#include "journal/sqlite_db.h"
#include "journal/test_kit.h"

namespace ichor {

namespace {

constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kFrameBytes = 24 + 4096;

/// A log of three commits with one frame each.
class WalCheck : public ::testing::Test {
 protected:
  WalCheck() {
    const std::string path = folder_.path() + "/db";
    overwrite(path, "");
    auto db = Db::open(path, disk_.vfs());
    check(db.has_value(), "a database can be made");
    check((*db)->run("CREATE TABLE fact (name TEXT)").has_value(), "it has a table");
    check((*db)->ask("PRAGMA journal_mode = WAL") == "wal", "it has a log");
    for (int count = 0; count < 3; ++count) {
      check((*db)->run("INSERT INTO fact VALUES ('x')").has_value(), "it takes rows");
    }
    log_ = bytes_of(path + "-wal");
    check(log_.size() == kHeaderBytes + 3 * kFrameBytes, "each commit is one frame");
  }

  /// As it is at `at`, plus one.
  bool whole_with_damage_at(std::size_t at) {
    std::string damaged = log_;
    ++damaged[at];
    return whole(damaged);
  }
  bool whole(const std::string& log) {
    overwrite(folder_.path() + "/log", log);
    const auto verdict = check_wal(folder_.path() + "/log");
    if (verdict) return true;
    EXPECT_EQ(verdict.error().code, Errc::unsafe) << verdict.error().message;
    return false;
  }

  FaultDisk disk_;
  TempFolder folder_;
  std::string log_;
};

TEST_F(WalCheck, a_whole_log_is_whole) { EXPECT_TRUE(whole(log_)); }

TEST_F(WalCheck, a_missing_or_empty_log_is_whole) {
  EXPECT_TRUE(check_wal(folder_.path() + "/none"));
  EXPECT_TRUE(whole(""));
  EXPECT_TRUE(whole(log_.substr(0, kHeaderBytes)));
}

TEST_F(WalCheck, a_log_that_cannot_be_read_is_no_verdict) {
  EXPECT_EQ(check_wal(folder_.path()).error().code, Errc::io);
}

TEST_F(WalCheck, a_bad_frame_before_others_is_damage) {
  EXPECT_FALSE(whole_with_damage_at(kHeaderBytes + 500));
  EXPECT_FALSE(whole_with_damage_at(kHeaderBytes + kFrameBytes + 500));
}

TEST_F(WalCheck, a_bad_salt_is_as_bad_as_bad_bytes) {
  EXPECT_FALSE(whole_with_damage_at(kHeaderBytes + kFrameBytes + 8));
  EXPECT_FALSE(whole_with_damage_at(kHeaderBytes + kFrameBytes + 12));
}

TEST_F(WalCheck, a_bad_last_commit_is_a_torn_end) {
  EXPECT_TRUE(whole_with_damage_at(kHeaderBytes + 2 * kFrameBytes + 500));
  EXPECT_TRUE(whole(log_.substr(0, log_.size() - 100)));
}

TEST_F(WalCheck, a_bad_header_is_damage_if_anything_follows_it) {
  for (std::size_t at = 0; at < kHeaderBytes; ++at) {
    SCOPED_TRACE(at);
    EXPECT_FALSE(whole_with_damage_at(at));
  }
  std::string nothing_follows(log_.size(), '\0');
  EXPECT_TRUE(whole(nothing_follows));
}

TEST_F(WalCheck, frames_of_an_earlier_use_of_the_file_do_not_count) {
  std::string reused = log_;
  for (std::size_t frame = 1; frame < 3; ++frame) {
    for (std::size_t at = 8; at < 16; ++at) ++reused[kHeaderBytes + frame * kFrameBytes + at];
  }
  EXPECT_TRUE(whole(reused));
}

}  // namespace

}  // namespace ichor
