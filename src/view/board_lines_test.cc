#include "view/board_lines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "view/cells.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// The reference cluster, and events sent to its board second by second.
class Screen {
 public:
  explicit Screen(int columns, int rows = 24) : canvas_{columns, rows, false} {
    profile_.name = "infra";
    for (int i = 1; i <= 3; ++i) add(fmt::format("cp{}", i), Role::control_plane, 100 + i);
    for (int i = 1; i <= 3; ++i) add(fmt::format("worker{}", i), Role::worker, 110 + i);
    board_.emplace(profile_);
    tell(0, EventKind::run_started, "", "", "infra");
  }

  Screen& tell(int second, EventKind kind, std::string node, std::string_view phase,
               std::string text = {}, Stage stage = Stage::unknown) {
    board_->fold({kind, at(second), NodeName(std::move(node)), phase, std::move(text), stage});
    return *this;
  }

  std::vector<std::string> lines(int second) const {
    return board_lines(*board_, at(second), canvas_);
  }

  void add(std::string name, Role role, int host) {
    NodePlan plan;
    plan.name = NodeName(std::move(name));
    plan.role = role;
    plan.address = IpAddress(fmt::format("192.168.22.{}", host));
    profile_.nodes.push_back(std::move(plan));
  }

  ClusterProfile profile_;
  Canvas canvas_;
  std::optional<Board> board_;

 private:
  static MonoTime at(int second) { return MonoTime{} + std::chrono::seconds(second); }
};

void tell_a_bring_up(Screen& screen) {
  screen.tell(1, EventKind::phase_started, "cp1", "preflight")
      .tell(2, EventKind::stage_changed, "cp1", "preflight", "maintenance", Stage::maintenance)
      .tell(2, EventKind::phase_done, "cp1", "preflight")
      .tell(2, EventKind::phase_started, "cp1", "apply")
      .tell(3, EventKind::retrying, "cp1", "apply",
            "ApplyConfiguration: Unavailable: connection reset, again in 3s")
      .tell(2, EventKind::phase_started, "cp2", "preflight")
      .tell(2, EventKind::waiting, "cp2", "preflight", "connection refused")
      .tell(4, EventKind::stage_changed, "cp3", "apply", "booting", Stage::booting)
      .tell(4, EventKind::phase_started, "cp3", "verify")
      .tell(64, EventKind::phase_done, "cp3", "verify")
      .tell(5, EventKind::phase_started, "worker1", "discover")
      .tell(6, EventKind::phase_failed, "worker1", "discover", "another machine answers here")
      .tell(7, EventKind::barrier_opened, "", "apply", "all control planes configured")
      .tell(8, EventKind::phase_started, "", "bootstrap")
      .tell(9, EventKind::waiting, "", "bootstrap", "cp2 has not said whether it has etcd data");
}

TEST(BoardLines, ShowOneLinePerNodeAtAHundredColumns) {
  Screen screen(100);
  tell_a_bring_up(screen);
  EXPECT_THAT(
      screen.lines(70),
      ElementsAre(
          "infra  6 nodes, 1 failed  1m10s  (objective 7m)", "✓ configs 7s  › bootstrap 1m02s/10m",
          "  cp2 has not said whether it has etcd data",
          "  NODE       ADDRESS        STAGE       STEP       TRY      TIME NOW",
          "› cp1     cp 192.168.22.101 maintenance apply      1   1m08s/15m ApplyConfiguration: "
          "Unavailable: c…",
          "› cp2     cp 192.168.22.102             preflight       1m08s/3m connection refused",
          "✓ cp3     cp 192.168.22.103 booting     verify             1m00s",
          "✗ worker1 wk 192.168.22.111             discover              1s another machine "
          "answers here",
          "· worker2 wk 192.168.22.112", "· worker3 wk 192.168.22.113"));
}

TEST(BoardLines, EstimateTheTimeThatIsLeft) {
  Screen screen(100);
  screen.tell(68, EventKind::barrier_opened, "", "apply", "all control planes configured");
  EXPECT_EQ(screen.lines(70)[0], "infra  6 nodes  1m10s, about 30s left  (objective 7m)");
  EXPECT_EQ(screen.lines(500)[0], "infra  6 nodes  8m20s, about 0s left  (objective 7m)");
  screen.tell(100, EventKind::barrier_opened, "", "ready", "cluster ready");
  EXPECT_EQ(screen.lines(101)[0], "infra  6 nodes  1m41s  (objective 7m)");
}

TEST(BoardLines, ShowPhasesOfKubernetesInTheSameLine) {
  Screen screen(100);
  screen.tell(60, EventKind::barrier_opened, "", "ready", "cluster ready")
      .tell(60, EventKind::phase_started, "", "crds")
      .tell(70, EventKind::phase_done, "", "crds")
      .tell(70, EventKind::phase_started, "", "core")
      .tell(72, EventKind::waiting, "", "core", "cilium: 2 of 6 pods ready");
  EXPECT_EQ(screen.lines(80)[1], "✓ ready 1m00s  ✓ CRDs 10s  › core 10s");
  EXPECT_EQ(screen.lines(80)[2], "  cilium: 2 of 6 pods ready");
}

TEST(BoardLines, WrapWhatTheClusterWaitsForBetweenWords) {
  Screen screen(40);
  screen.tell(1, EventKind::phase_started, "", "core")
      .tell(2, EventKind::waiting, "", "core", "helm installs cilium 1.18.4 into kube-system now");
  EXPECT_EQ(screen.lines(3)[2], "  helm installs cilium 1.18.4 into");
  EXPECT_EQ(screen.lines(3)[3], "  kube-system now");
}

TEST(BoardLines, ShowANodeWhereItIsUntilItMoves) {
  Screen screen(120);
  screen.profile_.nodes[0].maintenance_address = IpAddress("192.168.20.37");
  screen.board_.emplace(screen.profile_);
  screen.tell(0, EventKind::phase_started, "cp1", "apply");
  EXPECT_THAT(screen.lines(1)[2], HasSubstr("cp 192.168.20.37 "));
  screen.tell(1, EventKind::phase_done, "cp1", "apply");
  EXPECT_THAT(screen.lines(1)[2], HasSubstr("cp 192.168.22.101 "));
}

TEST(BoardLines, ShowNoStageOfANodeThatDoesNotAnswer) {
  Screen screen(80);
  screen.tell(0, EventKind::phase_started, "cp1", "apply")
      .tell(1, EventKind::stage_changed, "cp1", "apply", "maintenance", Stage::maintenance)
      .tell(2, EventKind::waiting, "cp1", "apply", "cp1: Connection refused");
  EXPECT_EQ(screen.lines(3)[2],
            "› cp1     cp             apply             3s/15m Connection refused");
}

TEST(BoardLines, SayWhyANodeThatTookItsConfigDoesNotAnswer) {
  Screen screen(120);
  screen.tell(0, EventKind::phase_started, "cp1", "apply")
      .tell(1, EventKind::acted, "cp1", "apply", "config accepted, installing")
      .tell(2, EventKind::waiting, "cp1", "apply", "cp1: Connection refused");
  EXPECT_THAT(screen.lines(3)[2], HasSubstr("offline     apply"));
  EXPECT_THAT(screen.lines(3)[2], HasSubstr("installing, usually 1-2 min"));
  EXPECT_THAT(screen.lines(362)[2], HasSubstr("no answer for 6m00s; look at its console"));
  screen.tell(400, EventKind::stage_changed, "cp1", "apply", "booting", Stage::booting)
      .tell(400, EventKind::waiting, "cp1", "apply", "cp1 is booting", Stage::booting);
  EXPECT_THAT(screen.lines(401)[2], HasSubstr("booting     apply"));
  EXPECT_THAT(screen.lines(401)[2], HasSubstr("is booting"));
}

TEST(BoardLines, NameWhomANodeWaitsFor) {
  Screen screen(140);
  screen.tell(0, EventKind::phase_started, "worker1", "apply")
      .tell(0, EventKind::phase_started, "cp1", "apply")
      .tell(0, EventKind::phase_started, "cp3", "apply")
      .tell(1, EventKind::phase_done, "worker1", "apply");
  EXPECT_TRUE(screen.lines(9)[5].ends_with("done; waiting for cp1, cp3"));
  screen.tell(2, EventKind::phase_started, "", "etcd");
  EXPECT_TRUE(screen.lines(9)[6].ends_with("done; waiting for etcd"));
  screen.tell(9, EventKind::phase_started, "worker1", "verify")
      .tell(10, EventKind::phase_done, "worker1", "verify");
  EXPECT_TRUE(screen.lines(10)[6].starts_with("✓ worker1"));
}

TEST(BoardLines, SayOneCauseOnce) {
  Screen screen(120);
  screen.tell(1, EventKind::phase_failed, "cp1", "apply", "the config was rejected");
  for (const char* node : {"cp2", "cp3", "worker1", "worker2", "worker3"}) {
    screen.tell(2, EventKind::blocked, node, "verify", "cp1 failed: the config was rejected");
  }
  const std::vector<std::string> lines = screen.lines(3);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(lines[2].starts_with("✗ cp1"));
  EXPECT_EQ(lines[3],
            "· 5 nodes blocked by it (cp2, cp3, worker1 and 2 more): cp1 failed: the config was "
            "rejected");
}

TEST(BoardLines, LeaveTheAddressOutWhereColumnsAreFew) {
  Screen screen(60);
  tell_a_bring_up(screen);
  EXPECT_THAT(screen.lines(70)[5], HasSubstr("› cp2    cp"));
  EXPECT_THAT(screen.lines(70)[5], Not(HasSubstr("192.168")));
}

TEST(BoardLines, NeverAreWiderOrMoreThanTheCanvas) {
  for (const int columns : {1, 10, 40, 79, 80, 81, 200}) {
    for (const int rows : {1, 5, 24}) {
      Screen screen(columns, rows);
      for (int i = 0; i < 1000; ++i) screen.add(fmt::format("node-{}", i), Role::worker, i % 200);
      screen.board_.emplace(screen.profile_);
      tell_a_bring_up(screen);
      const std::vector<std::string> lines = screen.lines(70);
      EXPECT_LE(static_cast<int>(lines.size()), std::max(rows - 1, 5));
      for (const std::string& line : lines) EXPECT_LE(cell_count(line), columns) << line;
    }
  }
}

TEST(BoardLines, NameNodesWithTroubleAndGroupTheOthers) {
  Screen screen(100, 12);
  for (int i = 1; i <= 500; ++i) screen.add(fmt::format("w{}", i), Role::worker, i % 200);
  screen.board_.emplace(screen.profile_);
  tell_a_bring_up(screen);
  for (int i = 1; i <= 200; ++i) {
    screen.tell(5, EventKind::phase_started, fmt::format("w{}", i), "apply")
        .tell(6, EventKind::stage_changed, fmt::format("w{}", i), "apply", "installing",
              Stage::installing);
  }
  const std::vector<std::string> lines = screen.lines(70);
  ASSERT_LE(lines.size(), 11u);
  EXPECT_THAT(lines[4], HasSubstr("✗ worker1"));
  EXPECT_THAT(lines[5], HasSubstr("› cp1"));
  EXPECT_EQ(lines[6], "· 302 nodes  not started: worker2, worker3, w201, w202 and 298 more");
  EXPECT_EQ(lines[7], "› 200 nodes  installing, apply: w1, w2, w3, w4 and 196 more");
}

TEST(BoardLines, CountTheGroupsForWhichThereIsNoRoom) {
  Screen screen(80, 8);
  tell_a_bring_up(screen);
  const std::vector<std::string> lines = screen.lines(70);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_THAT(lines[4], HasSubstr("✗ worker1"));
  EXPECT_THAT(lines[5], HasSubstr("› cp1"));
  EXPECT_EQ(lines[6], "  … and 4 more; of all 6: 2 busy, 1 passed, 1 failed");
}

TEST(BoardLines, ShowNothingThatATerminalWouldObey) {
  Screen screen(120);
  screen.tell(1, EventKind::phase_started, "cp1", "apply")
      .tell(1, EventKind::waiting, "cp1", "apply", "bad\x1b[2Jnode\x1b]0;owned\x07 says\nhi");
  EXPECT_THAT(screen.lines(2)[2], HasSubstr("badnode says hi"));
  for (const std::string& line : screen.lines(2)) EXPECT_THAT(line, Not(HasSubstr("\x1b")));
}

TEST(BoardLines, ColourWholeLinesOnlyIfAsked) {
  Screen screen(80);
  screen.canvas_.color = true;
  tell_a_bring_up(screen);
  const std::vector<std::string> lines = screen.lines(70);
  EXPECT_TRUE(lines[6].starts_with("\x1b[32m✓ cp3"));
  EXPECT_TRUE(lines[7].starts_with("\x1b[31m✗ worker1"));
  EXPECT_TRUE(lines[7].ends_with("\x1b[0m"));
}

}  // namespace
}  // namespace ichor
