#include "phase/ready.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "phase/etcd_health.h"
#include "phase/kubeconfig.h"
#include "phase/verify.h"

namespace ichor {
namespace {

Digest digest(std::uint8_t value) {
  Digest made;
  made.bytes[0] = value;
  return made;
}

/// A healthy cluster of three control planes and a worker. Each test breaks one thing.
class ReadyTest : public testing::Test {
 protected:
  ReadyTest() {
    for (const char* name : {"cp1", "cp2", "cp3", "w1"}) {
      NodePlan plan;
      plan.name = NodeName(name);
      plan.role = name[0] == 'c' ? Role::control_plane : Role::worker;
      profile_.nodes.push_back(plan);
      configs_.nodes[plan.name] = {SecretString("config"), digest(1), digest(2), plan.role};
      view_.nodes.push_back(healthy(plan));
    }
    view_.kubeconfig_written = true;
    view_.api_ready = Known::yes;
  }

  static NodeView healthy(const NodePlan& plan) {
    NodeView node;
    node.node = plan.name;
    node.presence = Presence::configured;
    node.status = MachineStatus{Stage::running, true, {}};
    node.config_read = true;
    node.config = digest(2);
    if (plan.role == Role::worker) return node;
    node.etcd.service_state = "Running";
    node.etcd.service_healthy = true;
    node.etcd.members = {{EtcdMemberId(1), "cp1", false},
                         {EtcdMemberId(2), "cp2", false},
                         {EtcdMemberId(3), "cp3", false}};
    node.etcd.status = EtcdStatus{EtcdMemberId(1), EtcdMemberId(1), 10, 10, false, {}};
    node.etcd.alarms.emplace();
    return node;
  }
  Wanted wanted() const { return {profile_, configs_, facts_, now_}; }
  std::string verdict() const {
    const Decision decision = Ready().decide(wanted(), view_);
    if (const Wait* wait = std::get_if<Wait>(&decision)) return wait->reason;
    if (const Stop* stop = std::get_if<Stop>(&decision)) return "stop " + stop->finding.id;
    return std::holds_alternative<Satisfied>(decision) ? "satisfied" : "?";
  }

  MonoTime now_{};
  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  ClusterView view_;
};

TEST_F(ReadyTest, AHealthyClusterIsReady) { EXPECT_EQ(verdict(), "satisfied"); }

TEST_F(ReadyTest, EveryNodeMustRunNow) {
  view_.nodes[3].status =
      MachineStatus{Stage::booting, false, {{"services", "kubelet not running"}}};
  EXPECT_EQ(verdict(), "w1 is booting; unmet: services (kubelet not running)");
  view_.nodes[3].presence = Presence::silent;
  EXPECT_EQ(verdict(), "w1 has not answered yet");
}

TEST_F(ReadyTest, ReadyInAnotherStageMeansNothing) {
  view_.nodes[3].status = MachineStatus{Stage::rebooting, true, {}};
  EXPECT_EQ(verdict(), "w1 is rebooting");
}

TEST_F(ReadyTest, AnUnreadConfigIsNotTheRightConfig) {
  view_.nodes[0].config_read = false;
  EXPECT_NE(verdict(), "satisfied");
}

TEST_F(ReadyTest, AConfigThatWasChangedStops) {
  view_.nodes[1].config = digest(7);
  EXPECT_EQ(verdict(), "stop O4");
}

TEST_F(ReadyTest, ALearnerIsNotAVoter) {
  for (NodeView& node : view_.nodes) {
    if (node.etcd.members) node.etcd.members->back().is_learner = true;
  }
  EXPECT_EQ(verdict(), "cp3 is still a learner (member 0000000000000003)");
}

TEST_F(ReadyTest, WithoutALeaderThereIsNoEtcd) {
  view_.nodes[1].etcd.status->leader = {};
  EXPECT_EQ(verdict(), "cp2 sees no leader: etcd has lost its quorum");
}

TEST_F(ReadyTest, AnAlarmStops) {
  view_.nodes[2].etcd.alarms->push_back({EtcdMemberId(3), EtcdAlarmKind::no_space});
  EXPECT_EQ(verdict(), "stop E9");
}

TEST_F(ReadyTest, TwoClustersStop) {
  view_.nodes[2].etcd.members = {{EtcdMemberId(9), "cp3", false}};
  EXPECT_EQ(verdict(), "stop E4");
}

TEST_F(ReadyTest, TheApiMustAnswerNow) {
  view_.api_ready = Known::no;
  view_.api_trouble = CallError{Call::kube_ready, Progress::not_sent, TlsVerdict::fine,
                                Code::unavailable, "refused"};
  EXPECT_EQ(verdict(), "/readyz: Unavailable: refused");
}

TEST_F(ReadyTest, WithoutACniOnlyNodeReadyMayBeUnmet) {
  MachineStatus status{Stage::running, false, {{"nodeReady", "node \"w1\" is not ready"}}};
  EXPECT_FALSE(reached_goal(profile_, status));
  profile_.talos.cni_none = true;
  EXPECT_TRUE(reached_goal(profile_, status));
  status.unmet.push_back({"services", "kubelet not healthy"});
  EXPECT_FALSE(reached_goal(profile_, status));
}

TEST_F(ReadyTest, WithoutACniSuccessIsSaidWithItsNote) {
  profile_.talos.cni_none = true;
  for (NodeView& node : view_.nodes) {
    node.status = MachineStatus{Stage::running, false, {{"nodeReady", "no CNI"}}};
  }
  Decision decision = Ready().decide(wanted(), view_);
  ASSERT_TRUE(std::holds_alternative<Satisfied>(decision));
  ASSERT_EQ(std::get<Satisfied>(decision).notes.size(), 1u);
  EXPECT_EQ(std::get<Satisfied>(decision).notes[0].id, kCniPending);
  for (NodeView& node : view_.nodes) node.status = MachineStatus{Stage::running, true, {}};
  decision = Ready().decide(wanted(), view_);
  EXPECT_TRUE(std::get<Satisfied>(decision).notes.empty());
}

TEST_F(ReadyTest, OnceANodeIsReadyThereIsACniAndAllMustBe) {
  profile_.talos.cni_none = true;
  view_.nodes[3].status = MachineStatus{Stage::running, false, {{"nodeReady", "not yet"}}};
  EXPECT_EQ(verdict(), "w1 is running; unmet: nodeReady (not yet)");
}

TEST_F(ReadyTest, TellsWhichNodeIsUnmet) {
  view_.nodes[3].presence = Presence::silent;
  EXPECT_EQ(Ready().unmet_on(wanted(), view_.nodes[0]), "");
  EXPECT_EQ(Ready().unmet_on(wanted(), view_.nodes[3]), "w1 has not answered yet");
}

TEST_F(ReadyTest, TheKubeconfigIsFetchedFromAControlPlaneThatAnswers) {
  view_.kubeconfig_written = false;
  view_.nodes[0].presence = Presence::silent;
  const Decision decision = Kubeconfig().decide(wanted(), view_);
  const Act* act = std::get_if<Act>(&decision);
  ASSERT_NE(act, nullptr);
  EXPECT_EQ(act->node_call().node.value(), "cp2");
  EXPECT_FALSE(mutates(act->node_call().call));
}

TEST_F(ReadyTest, AKubeconfigThatIsMissingIsFetchedWhenAllElseHolds) {
  view_.kubeconfig_written = false;
  view_.api_ready = Known::unknown;
  std::rotate(view_.nodes.begin(), view_.nodes.begin() + 3, view_.nodes.end());
  ASSERT_EQ(view_.nodes[0].node.value(), "w1");
  const Decision decision = Ready().decide(wanted(), view_);
  const Act* act = std::get_if<Act>(&decision);
  ASSERT_NE(act, nullptr);
  EXPECT_EQ(act->node_call().call, Call::kubeconfig);
  EXPECT_EQ(act->node_call().node.value(), "cp1");
  view_.nodes[1].etcd.status->leader = {};
  EXPECT_EQ(verdict(), "cp1 sees no leader: etcd has lost its quorum");
}

TEST_F(ReadyTest, AnswersThatAreTooFarApartAreNoCluster) {
  now_ = MonoTime(std::chrono::seconds(100));
  for (NodeView& node : view_.nodes) node.at = now_;
  view_.api_at = now_;
  EXPECT_EQ(verdict(), "satisfied");
  view_.nodes[2].at = now_ - std::chrono::seconds(31);
  EXPECT_EQ(verdict(), "every node must be looked at again");
  view_.nodes[2].at = now_;
  view_.api_at = now_ - std::chrono::seconds(31);
  EXPECT_EQ(verdict(), "the Kubernetes API must answer again");
}

}  // namespace
}  // namespace ichor
