#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/at_once.h"
#include "command/commands.h"
#include "model/run_record.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

/// A journal that one process writes while another reads it.
class JournalReaders : public ::testing::Test {
 protected:
  JournalReaders() : writer_(host_.store()) {
    std::ifstream file("examples/reference/ichor.yaml");
    host_.inputs["ichor.yaml"] = {std::istreambuf_iterator<char>(file), {}};
  }

  int type(std::vector<std::string> words) {
    const CommandLine line = parse_command_line(words);
    return static_cast<int>(run_command(std::get<Invocation>(line), host_));
  }
  const Summary& summary() { return host_.display().summary(); }

  void take_lock() {
    host_.state_made = true;
    ASSERT_TRUE(at_once(writer_.lock({}, {"00000000000000ab", "desk", "boot", 1})));
  }
  void write(const std::string& run, RecordKind kind, std::string key = {}, std::string value = {},
             std::string node = {}) {
    JournalRecord record;
    record.run = RunId(run);
    record.kind = kind;
    record.key = std::move(key);
    record.value = std::move(value);
    record.node = NodeName(std::move(node));
    CancelScope scope;
    auto append = writer_.append(Context{&host_.clock(), &scope}, std::move(record));
    append.start();
    while (!append.done() && host_.virtual_clock().step()) {
    }
  }
  void write_run(const std::string& run, const std::string& exit) {
    write(run, RecordKind::run_started, "reference", "0011223344556677");
    write(run, RecordKind::observed, std::string(kCommandKey), "up");
    write(run, RecordKind::observed, "settled", {}, "cp1");
    write(run, RecordKind::run_ended, exit, "as it came");
  }
  /// What the process does while it is watched.
  void later_on(Duration delay, std::function<void()> act) {
    host_.virtual_clock().call_at(later(host_.clock().now(), delay), std::move(act));
  }

  FakeHost host_;
  MemoryJournal writer_;
  CancelScope scope_;
  Task<Result<std::uint64_t>> append_;
};

TEST_F(JournalReaders, HistoryListsEveryRun) {
  take_lock();
  write_run("aaaa1111", "1");
  write_run("bbbb2222", "0");
  writer_.unlock();
  EXPECT_EQ(type({"history"}), 0);
  EXPECT_THAT(host_.display().rows("run", {"short", "command"}),
              ElementsAre("aaaa1111 up", "bbbb2222 up"));
  EXPECT_EQ(host_.display().listings[0].rows[0]["exit"], 1);
}

TEST_F(JournalReaders, HistoryDiffShowsWhatDiffers) {
  take_lock();
  write_run("aaaa1111", "1");
  write_run("bbbb2222", "0");
  writer_.unlock();
  EXPECT_EQ(type({"history", "diff", "1", "bbbb"}), 0);
  EXPECT_THAT(host_.display().rows("difference", {"what", "before", "after"}),
              ElementsAre("exit 1 0"));
}

TEST_F(JournalReaders, AnUnknownRunIsAUsageError) {
  take_lock();
  write_run("aaaa1111", "0");
  writer_.unlock();
  EXPECT_EQ(type({"history", "diff", "1", "2"}), 64);
  EXPECT_THAT(summary().result.verdict, HasSubstr("\"2\" names no run"));
}

TEST_F(JournalReaders, ReportOfOneRunHasNoOther) {
  take_lock();
  write_run("aaaa1111", "1");
  write_run("bbbb2222", "0");
  writer_.unlock();
  EXPECT_EQ(type({"report", "2", "--html", "out.html"}), 0);
  EXPECT_THAT(host_.exported["out.html"], AllOf(HasSubstr("bbbb2222"), Not(HasSubstr("aaaa1111"))));
}

TEST_F(JournalReaders, ReportOfOneRunGivesProgramsItsRecords) {
  take_lock();
  write_run("aaaa1111", "1");
  write_run("bbbb2222", "0");
  writer_.unlock();
  EXPECT_EQ(type({"report", "aaaa", "-o", "json"}), 0);
  EXPECT_THAT(host_.display().histories[0].records, SizeIs(4));
}

TEST_F(JournalReaders, AClusterWithoutARunHasNoHistory) {
  EXPECT_EQ(type({"history"}), 1);
  EXPECT_THAT(summary().result.verdict, HasSubstr("no run has worked on reference yet"));
}

TEST_F(JournalReaders, WatchFollowsARunToItsEnd) {
  take_lock();
  write("cccc3333", RecordKind::run_started, "reference");
  write("cccc3333", RecordKind::observed, "settled", {}, "cp1");
  later_on(std::chrono::seconds(3), [this] {
    // Not write(): the clock runs already.
    JournalRecord ended;
    ended.run = RunId("cccc3333");
    ended.kind = RecordKind::run_ended;
    ended.key = "4";
    ended.value = "out of time";
    append_ = writer_.append(Context{&host_.clock(), &scope_}, std::move(ended));
    append_.start();
  });
  EXPECT_EQ(type({"watch"}), 0);
  EXPECT_THAT(host_.printed(), HasSubstr("cp1: seen: settled"));
  EXPECT_THAT(summary().result.verdict, HasSubstr("run 1 ended with exit 4"));
  EXPECT_EQ(summary().figures["run"]["exit"], 4);
  writer_.unlock();
}

TEST_F(JournalReaders, WatchSaysThatTheProcessOfARunIsGone) {
  take_lock();
  write("cccc3333", RecordKind::run_started, "reference");
  later_on(std::chrono::seconds(3), [this] { writer_.unlock(); });
  EXPECT_EQ(type({"watch"}), 1);
  EXPECT_THAT(summary().result.verdict, HasSubstr("run 1 did not end: its process is gone"));
}

TEST_F(JournalReaders, WatchHasNothingToFollowWhereNoRunIsUnderWay) {
  take_lock();
  write_run("aaaa1111", "0");
  writer_.unlock();
  EXPECT_EQ(type({"watch"}), 1);
  EXPECT_THAT(summary().result.verdict,
              HasSubstr("no run of reference is under way; the last run: exit 0"));
}

TEST_F(JournalReaders, WatchCanBeEndedAndTheRunGoesOn) {
  take_lock();
  write("cccc3333", RecordKind::run_started, "reference");
  host_.signal = 2;
  EXPECT_EQ(type({"watch"}), 130);
  writer_.unlock();
}

}  // namespace
}  // namespace ichor
