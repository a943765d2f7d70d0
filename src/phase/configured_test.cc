#include "phase/configured.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

/// A control plane that waits for the bootstrap. Each test changes one thing.
class ConfiguredTest : public testing::Test {
 protected:
  ConfiguredTest() {
    plan_.name = NodeName("cp1");
    plan_.role = Role::control_plane;
    profile_.nodes = {plan_};
    view_.node = plan_.name;
    view_.presence = Presence::configured;
    view_.status = MachineStatus{
        Stage::booting, false, {{"services", "etcd not running"}, {"staticPods", "no pods"}}};
    view_.etcd.has_data = Known::no;
  }
  std::string verdict() const {
    const Decision decision =
        Configured().decide(Wanted{profile_, configs_, facts_, MonoTime{}}, plan_, view_);
    if (const Wait* wait = std::get_if<Wait>(&decision)) return wait->reason;
    if (const Stop* stop = std::get_if<Stop>(&decision)) return "stop " + stop->finding.id;
    return std::holds_alternative<Satisfied>(decision) ? "satisfied" : "?";
  }

  NodePlan plan_;
  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  NodeView view_;
};

TEST_F(ConfiguredTest, OnlyEtcdMayBeMissing) {
  EXPECT_EQ(verdict(), "satisfied");
  view_.status->unmet.push_back({"time", "not in sync"});
  EXPECT_NE(verdict(), "satisfied");
}

TEST_F(ConfiguredTest, ANodeInMaintenanceModeIsWaitedFor) {
  view_.presence = Presence::maintenance;
  EXPECT_EQ(verdict(), "cp1 is in maintenance mode");
}

TEST_F(ConfiguredTest, AnInstallIsWaitedFor) {
  view_.status = MachineStatus{Stage::installing, true, {}};
  EXPECT_EQ(verdict(), "cp1 is installing");
}

TEST_F(ConfiguredTest, AControlPlaneWithEtcdDataMustRun) {
  view_.etcd.has_data = Known::yes;
  EXPECT_NE(verdict(), "satisfied");
  view_.etcd.has_data = Known::unknown;
  EXPECT_NE(verdict(), "satisfied") << "unknown is not no";
  view_.status = MachineStatus{Stage::running, true, {}};
  EXPECT_EQ(verdict(), "satisfied");
}

TEST_F(ConfiguredTest, TheJournalTellsWhetherEtcdMayBeThere) {
  EXPECT_FALSE(may_have_etcd(profile_, facts_));
  JournalRecord target;
  target.kind = RecordKind::bootstrap_target;
  target.node = plan_.name;
  facts_.fold(target, MonoTime{});
  EXPECT_TRUE(may_have_etcd(profile_, facts_));
}

}  // namespace
}  // namespace ichor
