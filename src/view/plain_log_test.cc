#include "view/plain_log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PlainLogTest : public ::testing::Test {
 protected:
  PlainLogTest() : log_(profile()) { tell(0, EventKind::run_started, "", ""); }

  static ClusterProfile profile() {
    ClusterProfile profile;
    for (const char* name : {"cp1", "cp2", "worker1"}) {
      profile.nodes.emplace_back().name = NodeName(name);
    }
    return profile;
  }

  std::vector<std::string> tell(int second, EventKind kind, std::string node,
                                std::string_view phase, std::string text = {},
                                Stage stage = Stage::unknown) {
    return log_.fold({kind, at(second), NodeName(std::move(node)), phase, std::move(text), stage});
  }
  static MonoTime at(int second) { return MonoTime{} + std::chrono::seconds(second); }

  PlainLog log_;
};

TEST_F(PlainLogTest, SaysWhatChanged) {
  EXPECT_THAT(tell(83, EventKind::acted, "cp1", "apply", "config accepted, installing"),
              ElementsAre(" 1m23s  cp1      config accepted, installing"));
  EXPECT_THAT(tell(84, EventKind::barrier_opened, "", "apply", "all control planes configured"),
              ElementsAre(" 1m24s           ✓ all control planes configured"));
  EXPECT_THAT(tell(90, EventKind::phase_failed, "cp2", "verify", "cp2: no answer"),
              ElementsAre(" 1m30s  cp2      ✗ verify failed: no answer"));
}

TEST_F(PlainLogTest, LeavesOutThatStepsBeginAndEnd) {
  EXPECT_THAT(tell(1, EventKind::phase_started, "cp1", "preflight"), IsEmpty());
  EXPECT_THAT(tell(2, EventKind::decided, "cp1", "apply", "no config yet"), IsEmpty());
  EXPECT_THAT(tell(3, EventKind::phase_done, "cp1", "preflight"), IsEmpty());
}

TEST_F(PlainLogTest, SaysWhatStageANodeComesToAndNotWhereItWasFound) {
  const auto stage = [&](Stage now) {
    return tell(5, EventKind::stage_changed, "cp1", "apply", std::string(name_of(now)), now);
  };
  EXPECT_THAT(stage(Stage::maintenance), IsEmpty());
  EXPECT_THAT(stage(Stage::maintenance), IsEmpty());
  EXPECT_THAT(stage(Stage::installing), ElementsAre("    5s  cp1      installing"));
}

TEST_F(PlainLogTest, SaysWaitsThatLastOnceAndTogether) {
  for (const char* node : {"cp1", "cp2", "worker1"}) {
    tell(0, EventKind::waiting, node, "preflight",
         fmt::format("{}: Connection refused (192.168.22.{}:50000)", node, node[0]));
  }
  tell(15, EventKind::acted, "worker1", "apply", "config accepted, installing");
  EXPECT_THAT(log_.lasting_waits(at(10)), IsEmpty());
  EXPECT_THAT(log_.lasting_waits(at(20)),
              ElementsAre("   20s           cp1, cp2: waiting: Connection refused"));
  EXPECT_THAT(log_.lasting_waits(at(40)), IsEmpty());
}

TEST_F(PlainLogTest, IsPatientWithANodeThatInstalls) {
  tell(0, EventKind::acted, "cp1", "apply", "config accepted, installing");
  tell(1, EventKind::waiting, "cp1", "apply", "cp1 does not answer");
  EXPECT_THAT(log_.lasting_waits(at(120)), IsEmpty());
  EXPECT_THAT(log_.lasting_waits(at(200)),
              ElementsAre(" 3m20s  cp1      waiting: does not answer"));
}

TEST_F(PlainLogTest, ShowsNothingThatATerminalWouldObey) {
  EXPECT_THAT(tell(1, EventKind::finding, "cp1", "preflight", "a\x1b[2J\nb"),
              ElementsAre("    1s  cp1      a b"));
}

}  // namespace
}  // namespace ichor
