#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "sim/node/bench.h"

namespace ichor::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::Pair;

struct EtcdOfNodes : ::testing::Test {
  Bench bench{Personality::v1_12, Platform::metal};

  /// cp1 to cp3, all configured, and cp1 has just been bootstrapped.
  void control_planes() {
    for (const char* name : {"cp1", "cp2", "cp3"}) bench.configured(name);
    EXPECT_TRUE(cp(1).bootstrap(Bench::admin));
  }
  Node& cp(int number) { return *bench.nodes[static_cast<std::size_t>(number - 1)]; }
  bool all_members() {
    return bench.run_to([&] {
      const auto members = cp(1).etcd_members(Bench::admin);
      return members && members->size() == 3 && voters(*members) == 3 &&
             cp(3).stage() == Stage::running;
    });
  }
  static int voters(const std::vector<EtcdMember>& members) {
    int count = 0;
    for (const EtcdMember& member : members) count += member.is_learner ? 0 : 1;
    return count;
  }
  EtcdMemberId leader_seen_by(int number) { return cp(number).etcd_status(Bench::admin)->leader; }
};

TEST_F(EtcdOfNodes, BootstrapIsTakenAgainAndAgainUntilThereIsData) {
  Node& cp1 = bench.configured("cp1");
  for (int i = 0; i < 24; ++i) {
    ASSERT_TRUE(cp1.bootstrap(Bench::admin));
    EXPECT_FALSE(*cp1.etcd_has_data(Bench::admin));
    bench.clock.run_for(milliseconds(250));
  }
  // Each call restarted the preparation, so there is no data two seconds after the first.
  EXPECT_EQ(bench.fabric.bootstrap_effects(), 0);
  bench.clock.run_for(seconds(2));
  EXPECT_EQ(bench.fabric.bootstrap_effects(), 1);
  EXPECT_TRUE(*cp1.etcd_has_data(Bench::admin));
  EXPECT_FALSE(cp1.bootstrap(Bench::admin));
}

TEST_F(EtcdOfNodes, ARebootBeforeTheDataIsWrittenLosesTheBootstrap) {
  Node& cp1 = bench.configured("cp1");
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  EXPECT_EQ(cp1.stage(), Stage::running);
  bench.clock.run_for(seconds(1));
  cp1.power_cycle();
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
  bench.clock.run_for(minutes(5));
  EXPECT_EQ(cp1.stage(), Stage::booting);
  EXPECT_FALSE(*cp1.etcd_has_data(Bench::admin));
  EXPECT_EQ(bench.fabric.bootstrap_effects(), 0);
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  ASSERT_TRUE(bench.run_to([&] { return cp1.api_server_ready(); }));
  EXPECT_EQ(bench.fabric.bootstrap_effects(), 1);
}

TEST_F(EtcdOfNodes, NothingOnTheServersStopsASplitBrain) {
  control_planes();
  ASSERT_TRUE(cp(2).bootstrap(Bench::admin));
  bench.clock.run_for(minutes(2));
  EXPECT_EQ(bench.fabric.bootstrap_effects(), 2);
  EXPECT_NE(cp(1).disk().etcd_cluster, cp(2).disk().etcd_cluster);
  // The third one joins whichever it finds first; the two do not know of each other.
  EXPECT_EQ(cp(1).etcd_members(Bench::admin)->size(), 2u);
  EXPECT_EQ(cp(2).etcd_members(Bench::admin)->size(), 1u);
}

TEST_F(EtcdOfNodes, JoinsOneLearnerAtATime) {
  control_planes();
  std::set<std::pair<int, int>> seen;  // voters, learners
  const auto id = cp(1).subscribe([&] {
    const auto members = cp(1).etcd_members(Bench::admin);
    if (!members) return;
    const int voting = voters(*members);
    seen.insert({voting, static_cast<int>(members->size()) - voting});
  });
  ASSERT_TRUE(all_members());
  EXPECT_THAT(seen, ElementsAre(Pair(1, 0), Pair(1, 1), Pair(2, 0), Pair(2, 1), Pair(3, 0)));
  cp(1).unsubscribe(id);
  EXPECT_EQ(bench.fabric.bootstrap_effects(), 1);
  for (int number : {1, 2, 3}) {
    EXPECT_EQ(cp(number).disk().etcd_cluster, cp(1).disk().etcd_cluster);
    EXPECT_EQ(*cp(number).etcd_members(Bench::admin), *cp(1).etcd_members(Bench::admin));
    EXPECT_EQ(leader_seen_by(number), cp(1).disk().etcd_member);
  }
}

TEST_F(EtcdOfNodes, ALearnerIsRunningButNotHealthyAndItsNodeStillBooting) {
  control_planes();
  ASSERT_TRUE(bench.run_to([&] {
    const auto status = cp(2).etcd_status(Bench::admin);
    return status && status->is_learner;
  }));
  bench.clock.run_for(seconds(6));
  const EtcdStatus status = *cp(2).etcd_status(Bench::admin);
  EXPECT_TRUE(status.is_learner);
  EXPECT_LT(status.raft_applied_index, status.raft_index);
  EXPECT_EQ(
      to_text(*cp(2).machine_status(Bench::admin)),
      "booting services (etcd not healthy); nodeReady (node \"cp2\" status is not available yet)");
}

TEST_F(EtcdOfNodes, WithoutQuorumThereIsNoLeaderNoMemberListAndNoApi) {
  control_planes();
  ASSERT_TRUE(all_members());
  ASSERT_TRUE(bench.run_to([&] { return cp(3).api_server_ready(); }));
  cp(1).power_off();
  EXPECT_EQ(leader_seen_by(2), cp(2).disk().etcd_member);
  EXPECT_TRUE(cp(3).api_server_ready());
  cp(2).power_off();
  EXPECT_EQ(leader_seen_by(3), EtcdMemberId());
  EXPECT_EQ(cp(3).etcd_status(Bench::admin)->errors.front(), "etcdserver: no leader");
  const auto members = cp(3).etcd_members(Bench::admin);
  ASSERT_FALSE(members);
  EXPECT_EQ(members.error().text, "etcdserver: no leader");
  EXPECT_FALSE(cp(3).api_server_ready());
  EXPECT_EQ(cp(3).machine_status(Bench::admin)->unmet.front().reason, "etcd not healthy");

  cp(2).power_on();
  ASSERT_TRUE(bench.run_to([&] { return cp(3).etcd_members(Bench::admin).has_value(); }));
  EXPECT_TRUE(cp(3).api_server_ready());
  EXPECT_EQ(cp(3).etcd_members(Bench::admin)->size(), 3u);
  EXPECT_EQ(bench.fabric.bootstrap_effects(), 1);
}

TEST_F(EtcdOfNodes, AMemberComesBackWithItsDataAndItsId) {
  control_planes();
  ASSERT_TRUE(all_members());
  const EtcdMemberId id = cp(2).disk().etcd_member;
  cp(2).power_cycle();
  ASSERT_TRUE(bench.run_to(cp(2), Stage::running));
  EXPECT_EQ(cp(2).etcd_status(Bench::admin)->member, id);
  EXPECT_FALSE(cp(2).etcd_status(Bench::admin)->is_learner);
}

TEST_F(EtcdOfNodes, ARemovedMemberStopsAndKeepsItsData) {
  control_planes();
  ASSERT_TRUE(all_members());
  ASSERT_TRUE(cp(1).etcd_remove_member(Bench::admin, cp(3).disk().etcd_member));
  EXPECT_EQ(cp(1).etcd_members(Bench::admin)->size(), 2u);
  EXPECT_FALSE(cp(3).etcd_status(Bench::admin));
  EXPECT_FALSE(cp(3).api_server_ready());
  EXPECT_TRUE(*cp(3).etcd_has_data(Bench::admin));
  EXPECT_FALSE(cp(3).bootstrap(Bench::admin));
  cp(3).power_cycle();
  bench.clock.run_for(minutes(5));
  EXPECT_EQ(cp(3).stage(), Stage::booting);
  EXPECT_EQ(cp(1).etcd_members(Bench::admin)->size(), 2u);
}

TEST_F(EtcdOfNodes, ANodeThatWasResetLeavesAndJoinsAsANewMember) {
  control_planes();
  ASSERT_TRUE(all_members());
  const EtcdMemberId before = cp(3).disk().etcd_member;
  ASSERT_TRUE(cp(3).reset(Bench::admin, {}));
  EXPECT_EQ(cp(1).etcd_members(Bench::admin)->size(), 2u);
  ASSERT_TRUE(bench.run_to(cp(3), Stage::maintenance));
  ASSERT_TRUE(bench.apply(cp(3), "cp3"));
  ASSERT_TRUE(all_members());
  EXPECT_NE(cp(3).disk().etcd_member, before);
}

TEST_F(EtcdOfNodes, ANewMachineOfTheSameNameTakesTheOldMembersPlace) {
  control_planes();
  ASSERT_TRUE(all_members());
  cp(3).power_off();
  Node& replacement = bench.add("cp3");
  replacement.power_on();
  ASSERT_TRUE(bench.run_to(replacement, Stage::maintenance));
  ASSERT_TRUE(bench.apply(replacement, "cp3"));
  ASSERT_TRUE(bench.run_to(replacement, Stage::running));
  const auto members = *cp(1).etcd_members(Bench::admin);
  EXPECT_EQ(members.size(), 3u);
  EXPECT_EQ(members.back().id, replacement.disk().etcd_member);
}

TEST_F(EtcdOfNodes, AHeldLearnerIsGivenUpAfterTenMinutes) {
  control_planes();
  cp(2).hold_learner(true);
  bench.clock.run_for(minutes(9));
  const auto members = *cp(1).etcd_members(Bench::admin);
  EXPECT_EQ(members.size(), 2u);
  EXPECT_EQ(voters(members), 1);
  bench.clock.run_for(minutes(3));
  cp(2).hold_learner(false);
  bench.clock.run_for(minutes(10));
  EXPECT_EQ(voters(*cp(1).etcd_members(Bench::admin)), 1);
  EXPECT_EQ(cp(3).etcd_members(Bench::admin)->size(), 2u);  // and it bars the way for the third
}

TEST_F(EtcdOfNodes, ALearnerThatRestartsForgetsThatItWantsToBePromoted) {
  control_planes();
  const auto is_learner = [&] {
    const auto status = cp(2).etcd_status(Bench::admin);
    return status && status->is_learner;
  };
  ASSERT_TRUE(bench.run_to(is_learner));
  cp(2).power_cycle();
  bench.clock.run_for(minutes(20));
  EXPECT_TRUE(is_learner());
}

TEST_F(EtcdOfNodes, ALearnerThatIsPutBackGoesOnToBePromoted) {
  control_planes();
  const auto is_learner = [&] {
    const auto status = cp(2).etcd_status(Bench::admin);
    return status && status->is_learner;
  };
  ASSERT_TRUE(bench.run_to(is_learner));
  cp(2).power_off();
  cp(2).resume_learner();
  cp(2).power_on();
  ASSERT_TRUE(bench.run_to(is_learner));
  EXPECT_TRUE(bench.run_to([&] { return !is_learner(); }));
}

TEST_F(EtcdOfNodes, ALearnerCanBeSetToRememberInstead) {
  for (const char* name : {"cp1", "cp2"}) {
    NodeSpec spec = bench.spec(name);
    spec.learner_forgets_on_restart = false;
    Node& node = bench.add(spec, name);
    node.power_on();
    ASSERT_TRUE(bench.run_to(node, Stage::maintenance));
    ASSERT_TRUE(bench.apply(node, name));
    ASSERT_TRUE(bench.run_to([&] { return node.kubelet_running(); }));
  }
  ASSERT_TRUE(cp(1).bootstrap(Bench::admin));
  ASSERT_TRUE(bench.run_to([&] { return cp(2).etcd_status(Bench::admin).has_value(); }));
  cp(2).power_cycle();
  ASSERT_TRUE(bench.run_to(cp(2), Stage::running));
  EXPECT_FALSE(cp(2).etcd_status(Bench::admin)->is_learner);
}

TEST_F(EtcdOfNodes, AControlPlaneGivesUpJoiningAfterHalfAnHour) {
  Node& cp1 = bench.configured("cp1");
  bench.clock.run_for(minutes(31));
  const auto services = *cp1.services(Bench::admin);
  const auto etcd = std::find_if(services.begin(), services.end(),
                                 [](const auto& service) { return service.id == "etcd"; });
  EXPECT_EQ(etcd->state, "Failed");
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));  // which does not ask what etcd is doing
  ASSERT_TRUE(bench.run_to([&] { return cp1.api_server_ready(); }));
}

TEST_F(EtcdOfNodes, AlarmsAreTheClusters) {
  control_planes();
  ASSERT_TRUE(all_members());
  EXPECT_TRUE(cp(1).etcd_alarms(Bench::admin)->empty());
  cp(2).raise_alarm(EtcdAlarmKind::no_space);
  cp(2).raise_alarm(EtcdAlarmKind::no_space);
  const auto alarms = *cp(1).etcd_alarms(Bench::admin);
  ASSERT_EQ(alarms.size(), 1u);
  EXPECT_EQ(alarms[0].member, cp(2).disk().etcd_member);
  EXPECT_EQ(cp(3).etcd_status(Bench::admin)->errors.front(),
            "memberID:" + std::to_string(cp(2).disk().etcd_member.value()) + " alarm:NOSPACE ");
}

TEST_F(EtcdOfNodes, ForeignSecretsDoNotMix) {
  Node& cp1 = bench.configured("cp1");
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  Node& cp2 = bench.add("cp2");
  ConfigFacts foreign = Bench::facts("cp2");
  foreign.secrets.bytes.fill(99);
  bench.judge.know(Bench::config("cp2"), foreign);
  cp2.power_on();
  ASSERT_TRUE(bench.run_to(cp2, Stage::maintenance));
  ASSERT_TRUE(bench.apply(cp2, "cp2"));
  bench.clock.run_for(minutes(10));
  EXPECT_EQ(cp1.etcd_members(Bench::admin)->size(), 1u);
  EXPECT_FALSE(cp2.etcd_members(Bench::admin));
  EXPECT_EQ(cp2.machine_status(Bench::admin)->unmet.back().reason,
            "node \"cp2\" status is not available yet");
}

TEST(EtcdClusterRestored, MembersComeBackAsTheirNodesStart) {
  Bench first;
  Node& cp1 = first.configured("cp1");
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  ASSERT_TRUE(first.run_to([&] { return cp1.api_server_ready(); }));
  const EtcdCluster known = *first.fabric.clusters().front();

  Bench second;
  second.fabric.restore_cluster(known);
  Node& again = second.add(second.spec("cp1"), "cp1", cp1.disk());
  again.power_on();
  ASSERT_TRUE(second.run_to([&] { return again.api_server_ready(); }));
  EXPECT_EQ(again.etcd_status(Bench::admin)->member, known.members.front().id);
  EXPECT_EQ(second.fabric.bootstrap_effects(), 0);
}

}  // namespace
}  // namespace ichor::sim
