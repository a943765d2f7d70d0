#include "view/text_display.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace ichor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Time stands still until the test moves it.
class HandClock final : public Clock {
 public:
  MonoTime now() const override { return now_; }
  WallTime wall() const override { return {}; }
  CallId call_at(MonoTime when, Callback callback) override {
    calls_.emplace(std::pair(std::max(when, now_), ++last_), std::move(callback));
    return last_;
  }
  void cancel(CallId id) override {
    std::erase_if(calls_, [&](const auto& call) { return call.first.second == id; });
  }
  void pass(Duration time) {
    const MonoTime end = now_ + time;
    while (!calls_.empty() && calls_.begin()->first.first <= end) {
      now_ = calls_.begin()->first.first;
      const Callback callback = std::move(calls_.begin()->second);
      calls_.erase(calls_.begin());
      callback();
    }
    now_ = end;
  }
  std::size_t pending() const { return calls_.size(); }

 private:
  MonoTime now_{};
  CallId last_{0};
  std::map<std::pair<MonoTime, CallId>, Callback> calls_;
};

/// Standard output and standard error of a run that brings up one node.
class TextDisplayTest : public ::testing::Test {
 protected:
  TextDisplayTest() {
    EXPECT_EQ(::pipe2(out_, O_CLOEXEC | O_NONBLOCK), 0);
    EXPECT_EQ(::pipe2(err_, O_CLOEXEC | O_NONBLOCK), 0);
    profile_.name = "infra";
    profile_.nodes.resize(1);
    profile_.nodes[0].name = NodeName("cp1");
    profile_.nodes[0].address = IpAddress("192.168.22.101");
  }
  ~TextDisplayTest() override {
    for (const int fd : {out_[0], out_[1], err_[0], err_[1]}) ::close(fd);
  }

  void run(TextDisplay::Options options) {
    FdWriter out(out_[1]);
    FdWriter err(err_[1]);
    TextDisplay display(clock_, out, err, std::move(options));
    display.begin(profile_);
    tell(display, EventKind::run_started, "", "", "infra");
    tell(display, EventKind::phase_started, "cp1", "apply", "");
    pass_a_second(err);
    tell(display, EventKind::acted, "cp1", "apply", "done");
    pass_a_second(err);
    Summary summary;
    summary.result.verdict = "infra is ready";
    display.end(summary);
  }

  /// The terminal keeps up.
  void pass_a_second(FdWriter& err) {
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(err.drain(std::chrono::minutes(1)));
      clock_.pass(std::chrono::milliseconds(10));
    }
  }

  void tell(Display& display, EventKind kind, std::string node, std::string_view phase,
            std::string text) {
    display.emit({kind, clock_.now(), NodeName(std::move(node)), phase, std::move(text)});
  }

  static std::string read(int fd) {
    std::string text(1u << 16, '\0');
    const ssize_t size = ::read(fd, text.data(), text.size());
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return text;
  }

  HandClock clock_;
  ClusterProfile profile_;
  int out_[2], err_[2];
};

TEST_F(TextDisplayTest, WritesLinesWhereThereIsNoTerminal) {
  run({});
  EXPECT_EQ(read(err_[0]), "    1s  cp1  configs done\n");
  EXPECT_EQ(read(out_[0]), "infra is ready\n");
}

TEST_F(TextDisplayTest, FoldsLinesIntoGroupsInAJobOfGitHub) {
  run({.github = true, .canvas = {}});
  EXPECT_EQ(read(err_[0]), "::group::infra\n    1s  cp1  configs done\n::endgroup::\n");
}

TEST_F(TextDisplayTest, PrintsAWaitOnlyWhenItLasts) {
  FdWriter out(out_[1]);
  FdWriter err(err_[1]);
  TextDisplay display(clock_, out, err, {});
  display.begin(profile_);
  tell(display, EventKind::run_started, "", "", "infra");
  tell(display, EventKind::waiting, "cp1", "preflight", "cp1: Connection refused");
  for (int i = 0; i < 15; ++i) pass_a_second(err);
  EXPECT_EQ(read(err_[0]), "");
  for (int i = 0; i < 15; ++i) pass_a_second(err);
  EXPECT_EQ(read(err_[0]), "   20s  cp1  waiting: Connection refused\n");
  display.end({});
}

TEST_F(TextDisplayTest, SaysOnlyTheVerdictWhereQuietIsWanted) {
  run({.quiet = true, .canvas = [] { return Canvas{}; }});
  EXPECT_EQ(read(err_[0]), "");
  EXPECT_EQ(read(out_[0]), "infra is ready\n");
}

TEST_F(TextDisplayTest, DrawsTheBoardAfterEventsAndOnTheTick) {
  run({.canvas = [] { return Canvas{80, 24, false}; }});
  const std::string drawn = read(err_[0]);
  EXPECT_THAT(drawn, HasSubstr("› cp1  wk             apply             0s/15m"));
  EXPECT_THAT(drawn, HasSubstr("infra  1 nodes  0s"));
  EXPECT_THAT(drawn, HasSubstr("infra  1 nodes  1s")) << "the tick draws although nothing happened";
  EXPECT_THAT(drawn, HasSubstr("\r\x1b[3A    1s  cp1  configs done\x1b[K\n"));
  EXPECT_EQ(clock_.pending(), 0u) << "nothing is drawn after the end";
}

TEST_F(TextDisplayTest, DrawsNoFrameOverATableThatWasShown) {
  FdWriter out(out_[1]);
  FdWriter err(err_[1]);
  TextDisplay display(clock_, out, err, {.canvas = [] { return Canvas{80, 24, false}; }});
  display.begin(profile_);
  tell(display, EventKind::phase_started, "cp1", "ready", "");
  pass_a_second(err);
  EXPECT_THAT(read(err_[0]), HasSubstr("1 nodes"));
  display.show(Listing{"layer", {{"layer", "LAYER"}}, {{{"layer", "flux"}}}});
  EXPECT_EQ(read(err_[0]), "\x1b[?2026h\r\x1b[3A\x1b[J\x1b[?2026l") << "the frame is gone first";
  EXPECT_EQ(read(out_[0]), "LAYER\nflux\n");
  pass_a_second(err);
  // The next frames begin where they are: below the table.
  EXPECT_THAT(read(err_[0]), StartsWith("\x1b[?2026h\rinfra"));
}

TEST_F(TextDisplayTest, DrawsNothingOnATerminalThatIsBehind) {
  EXPECT_EQ(::fcntl(err_[1], F_SETPIPE_SZ, 4096), 4096);
  FdWriter out(out_[1]);
  FdWriter err(err_[1]);
  err.write(std::string(8192, '.'), FdWriter::Keep::always);
  {
    TextDisplay display(clock_, out, err, {.canvas = [] { return Canvas{}; }});
    display.begin(profile_);
    tell(display, EventKind::phase_started, "cp1", "apply", "");
    clock_.pass(std::chrono::hours(1));
  }
  EXPECT_EQ(err.dropped(), 0u);
  std::string all;
  while (!err.drain(Duration::zero())) all += read(err_[0]);
  all += read(err_[0]);
  EXPECT_EQ(all, std::string(8192, '.'));
}

}  // namespace
}  // namespace ichor
