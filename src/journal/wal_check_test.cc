#include "journal/wal_check.h"

#include <cerrno>
#include <filesystem>
#include <gtest/gtest.h>

#include "journal/fault_calls.h"
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

  std::uint32_t number_at(const std::string& log, std::size_t at) {
    std::uint32_t number = 0;
    for (int byte = 0; byte < 4; ++byte)
      number = number << 8 | static_cast<std::uint8_t>(log[at++]);
    return number;
  }
  void put_number(std::string& log, std::size_t at, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) log[at++] = static_cast<char>(number >> shift);
  }
  /// The same log as a machine writes it whose numbers have their first byte in front.
  std::string of_another_machine() {
    std::string log = log_;
    put_number(log, 0, 0x377f0683);
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    const auto add = [&](std::size_t from, std::size_t to) {
      for (std::size_t at = from; at < to; at += 8) {
        first += number_at(log, at) + second;
        second += number_at(log, at + 4) + first;
      }
    };
    add(0, 24);
    put_number(log, 24, first);
    put_number(log, 28, second);
    for (std::size_t at = kHeaderBytes; at < log.size(); at += kFrameBytes) {
      add(at, at + 8);
      add(at + 24, at + kFrameBytes);
      put_number(log, at + 16, first);
      put_number(log, at + 20, second);
    }
    return log;
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

TEST_F(WalCheck, a_log_that_is_a_link_is_no_verdict) {
  overwrite(folder_.path() + "/log", log_);
  std::filesystem::create_symlink(folder_.path() + "/log", folder_.path() + "/link");
  EXPECT_EQ(check_wal(folder_.path() + "/link").error().code, Errc::io);
}

TEST_F(WalCheck, reading_goes_on_after_a_signal) {
  FaultCalls calls;
  calls.fail("read", EINTR, 2);
  EXPECT_FALSE(whole_with_damage_at(kHeaderBytes + 500));
  EXPECT_EQ(calls.failed(), "read");
}

TEST_F(WalCheck, a_log_of_a_machine_of_the_other_kind_is_read_as_well) {
  std::string log = of_another_machine();
  EXPECT_TRUE(whole(log));
  ++log[kHeaderBytes + kFrameBytes + 500];
  EXPECT_FALSE(whole(log));
}

TEST_F(WalCheck, a_bad_frame_before_others_is_damage) {
  EXPECT_FALSE(whole_with_damage_at(kHeaderBytes + 500));
  EXPECT_FALSE(whole_with_damage_at(kHeaderBytes + kFrameBytes + 500));
}

TEST_F(WalCheck, a_frame_of_no_page_is_damage) {
  std::string log = log_;
  put_number(log, kHeaderBytes, 0);
  EXPECT_FALSE(whole(log));
}

TEST_F(WalCheck, frames_in_the_middle_of_a_commit_are_no_commits) {
  // The first two frames and the third are one commit, which a power loss spoilt.
  std::string log = log_;
  put_number(log, kHeaderBytes + 4, 0);
  put_number(log, kHeaderBytes + kFrameBytes + 4, 0);
  EXPECT_TRUE(whole(log));
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
  // Zeros, short of the longest page and beyond it.
  EXPECT_TRUE(whole(std::string(log_.size(), '\0')));
  EXPECT_TRUE(whole(std::string(70000, '\0')));
}

TEST_F(WalCheck, a_bad_header_before_frames_that_commit_nothing_is_no_loss) {
  for (const std::size_t salt : {8, 12}) {
    std::string log(log_.size(), '\0');
    put_number(log, kHeaderBytes + salt, 77);
    EXPECT_TRUE(whole(log));
    put_number(log, kHeaderBytes + 4, 1);
    EXPECT_FALSE(whole(log));
  }
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
