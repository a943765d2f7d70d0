#include "phase/bootstrap_etcd.h"

#include <gtest/gtest.h>

#include "phase/etcd_groups.h"

namespace ichor {
namespace {

using std::chrono::seconds;

/// Three control planes that are up with their configs and have no etcd data: the moment at which
/// bootstrap is due. Each test changes one thing.
class BootstrapEtcdTest : public testing::Test {
 protected:
  BootstrapEtcdTest() {
    for (const char* name : {"cp1", "cp2", "cp3"}) {
      NodePlan plan;
      plan.name = NodeName(name);
      plan.role = Role::control_plane;
      profile_.nodes.push_back(plan);
      NodeView node;
      node.node = plan.name;
      node.at = now_;
      node.presence = Presence::configured;
      node.identity = Identity{MachineUuid(std::string("uuid-") + name),
                               {},
                               {MacAddress(name)},
                               BootId(std::string("boot-") + name)};
      node.status = MachineStatus{Stage::booting, false, {}};
      node.config_read = true;
      node.etcd.has_data = Known::no;
      node.etcd.service_state = "Preparing";
      view_.nodes.push_back(node);
    }
  }

  Decision decide() const {
    return BootstrapEtcd().decide(Wanted{profile_, configs_, facts_, now_}, view_);
  }
  void remember_target(const char* name) {
    JournalRecord record;
    record.kind = RecordKind::bootstrap_target;
    record.node = NodeName(name);
    facts_.fold(record, now_);
  }
  void remember_call(const char* name, const char* boot, OutcomeKind outcome, Duration ago) {
    JournalRecord intent;
    intent.kind = RecordKind::intent;
    intent.seq = 7;
    intent.call = Call::bootstrap;
    intent.node = NodeName(name);
    intent.key = boot;
    facts_.fold(intent, now_ - ago);
    JournalRecord told = intent;
    told.kind = RecordKind::outcome;
    told.ref = 7;
    told.outcome = outcome;
    facts_.fold(told, now_ - ago);
  }
  void give_members(std::size_t index, std::vector<EtcdMember> members) {
    view_.nodes[index].etcd.has_data = Known::yes;
    view_.nodes[index].etcd.members = std::move(members);
  }
  std::string wait_reason() const {
    const Decision decision = decide();
    const Wait* wait = std::get_if<Wait>(&decision);
    return wait ? wait->reason : "(no wait)";
  }
  std::string stop_id() const {
    const Decision decision = decide();
    const Stop* stop = std::get_if<Stop>(&decision);
    return stop && stop->unsafe ? stop->finding.id : "(no unsafe stop)";
  }

  MonoTime now_{seconds(1000)};
  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  ClusterView view_;
};

TEST_F(BootstrapEtcdTest, PinsTheTargetBeforeTheFirstCall) {
  const Decision decision = decide();
  const Remember* remember = std::get_if<Remember>(&decision);
  ASSERT_NE(remember, nullptr);
  EXPECT_EQ(remember->record.kind, RecordKind::bootstrap_target);
  EXPECT_EQ(remember->record.node.value(), "cp1");
}

TEST_F(BootstrapEtcdTest, CallsThePinnedTargetAndNoOther) {
  remember_target("cp2");
  const Decision decision = decide();
  const Act* act = std::get_if<Act>(&decision);
  ASSERT_NE(act, nullptr);
  EXPECT_EQ(act->node_call().call, Call::bootstrap);
  EXPECT_EQ(act->node_call().node.value(), "cp2");
}

TEST_F(BootstrapEtcdTest, SaysWhatItsDecisionRestsOn) {
  remember_target("cp1");
  Decision decision = decide();
  EXPECT_NE(std::get<Act>(decision).node_call().why.find("cp2: no etcd data, service Preparing"),
            std::string::npos);
  give_members(0, {{EtcdMemberId(1), "cp1", false}});
  decision = decide();
  ASSERT_TRUE(std::holds_alternative<Satisfied>(decision));
  const std::string& why = std::get<Satisfied>(decision).why;
  EXPECT_NE(why.find("etcd exists with the members cp1"), std::string::npos) << why;
  EXPECT_NE(why.find("cp1: etcd data, service Preparing, 1 members"), std::string::npos) << why;
  EXPECT_NE(why.find("cp3: no etcd data"), std::string::npos) << why;
}

TEST_F(BootstrapEtcdTest, UnknownIsNotNo) {
  remember_target("cp1");
  view_.nodes[2].etcd.has_data = Known::unknown;
  EXPECT_EQ(wait_reason(), "cp3 has not said whether it has etcd data");
}

TEST_F(BootstrapEtcdTest, ASilentControlPlaneHoldsItUp) {
  remember_target("cp1");
  view_.nodes[1].presence = Presence::silent;
  view_.nodes[1].trouble = CallError{Call::open, Progress::not_sent, TlsVerdict::fine,
                                     Code::unavailable, "connect: connection refused"};
  EXPECT_EQ(wait_reason(), "cp2: connect: connection refused");
}

TEST_F(BootstrapEtcdTest, MaintenanceModeCountsAsNo) {
  remember_target("cp1");
  view_.nodes[2].presence = Presence::maintenance;
  view_.nodes[2].etcd = {};
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
}

TEST_F(BootstrapEtcdTest, AnOldAnswerIsNoAnswer) {
  remember_target("cp1");
  view_.nodes[1].at = now_ - seconds(61);
  EXPECT_EQ(wait_reason(), "the control planes must be looked at again");
}

TEST_F(BootstrapEtcdTest, DataWithoutMembersIsWaitedFor) {
  remember_target("cp1");
  view_.nodes[1].etcd.has_data = Known::yes;
  EXPECT_EQ(wait_reason(), "cp2 has etcd data and its etcd does not answer yet (Preparing)");
}

TEST_F(BootstrapEtcdTest, ACallThatMayHaveLandedIsNotRepeated) {
  remember_target("cp1");
  remember_call("cp1", "boot-cp1", OutcomeKind::unknown, seconds(10));
  EXPECT_EQ(wait_reason(), "cp1 accepted the bootstrap and prepares etcd (Preparing)");
}

TEST_F(BootstrapEtcdTest, ACallLostByARebootIsRepeatedOnTheSameMachine) {
  remember_target("cp1");
  remember_call("cp1", "the boot before", OutcomeKind::done, seconds(10));
  const Decision decision = decide();
  const Act* act = std::get_if<Act>(&decision);
  ASSERT_NE(act, nullptr);
  EXPECT_EQ(act->node_call().node.value(), "cp1");
}

TEST_F(BootstrapEtcdTest, ACallWithoutEffectIsRepeatedAfterTheSettleTime) {
  remember_target("cp1");
  remember_call("cp1", "boot-cp1", OutcomeKind::unknown, kSettleTime + seconds(1));
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
}

TEST_F(BootstrapEtcdTest, ANodeThatSaidYesMayPullItsImageInPeace) {
  remember_target("cp1");
  remember_call("cp1", "boot-cp1", OutcomeKind::done, kPullTime - seconds(1));
  EXPECT_EQ(wait_reason(), "cp1 accepted the bootstrap and prepares etcd (Preparing)");
  remember_call("cp1", "boot-cp1", OutcomeKind::done, kPullTime + seconds(1));
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
}

TEST_F(BootstrapEtcdTest, ANodeThatCouldNotPrepareEtcdIsBootstrappedAgain) {
  remember_target("cp1");
  view_.nodes[0].etcd.service_state = "Failed";
  remember_call("cp1", "boot-cp1", OutcomeKind::done, seconds(10));
  EXPECT_EQ(wait_reason(), "cp1 accepted the bootstrap and prepares etcd (Failed)");
  remember_call("cp1", "boot-cp1", OutcomeKind::done, kSettleTime + seconds(1));
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
}

TEST_F(BootstrapEtcdTest, IsSatisfiedByAClusterOfOurs) {
  give_members(0, {{EtcdMemberId(1), "cp1", false}});
  EXPECT_TRUE(std::holds_alternative<Satisfied>(decide()));
}

TEST_F(BootstrapEtcdTest, TwoClustersAreNamedAndNothingIsTouched) {
  give_members(0, {{EtcdMemberId(1), "cp1", false}});
  give_members(1, {{EtcdMemberId(2), "cp2", false}});
  EXPECT_EQ(stop_id(), "E4");
}

TEST_F(BootstrapEtcdTest, ListsThatOverlapAreOneCluster) {
  give_members(0, {{EtcdMemberId(1), "cp1", false}, {EtcdMemberId(2), "cp2", true}});
  give_members(1, {{EtcdMemberId(2), "cp2", true}, {EtcdMemberId(1), "cp1", false}});
  EXPECT_TRUE(std::holds_alternative<Satisfied>(decide()));
}

TEST_F(BootstrapEtcdTest, AForeignMemberStops) {
  give_members(0, {{EtcdMemberId(1), "old-node", false}});
  EXPECT_EQ(stop_id(), "E5");
}

TEST_F(BootstrapEtcdTest, ATargetThatLeftTheProfileStops) {
  remember_target("cp9");
  EXPECT_EQ(stop_id(), "O3");
}

TEST_F(BootstrapEtcdTest, AForeignNodeStops) {
  view_.nodes[1].presence = Presence::foreign;
  view_.nodes[1].trouble =
      CallError{Call::open, Progress::not_sent, TlsVerdict::foreign_ca, Code::unavailable, "x509"};
  EXPECT_EQ(stop_id(), "T1");
}

TEST_F(BootstrapEtcdTest, ALostBootstrapSaysThatARebootTookIt) {
  remember_target("cp1");
  remember_call("cp1", "the boot before", OutcomeKind::done, seconds(10));
  const Decision decision = decide();
  EXPECT_NE(std::get<Act>(decision).node_call().why.find("(E1)"), std::string::npos);
}

TEST_F(BootstrapEtcdTest, AnEtcdThatWaitsForItsSpecStopsInsteadOfAnotherCall) {
  remember_target("cp1");
  view_.nodes[0].services = std::vector<ServiceStatus>{
      {"etcd", "Preparing", false, true, "Running pre state: waiting for etcd spec"}};
  remember_call("cp1", "boot-cp1", OutcomeKind::done, kPullTime + seconds(1));
  const Decision decision = decide();
  ASSERT_TRUE(std::holds_alternative<Stop>(decision));
  EXPECT_EQ(std::get<Stop>(decision).finding.id, "E2");
  // A call that was lost before this boot is another matter.
  remember_call("cp1", "the boot before", OutcomeKind::done, kPullTime + seconds(1));
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
}

TEST_F(BootstrapEtcdTest, DataWithoutABootstrapCallIsOfAnOldCluster) {
  remember_target("cp1");
  view_.nodes[1].etcd.has_data = Known::yes;
  EXPECT_EQ(std::get<Wait>(decide()).fault, "E5");
  remember_call("cp2", "boot-cp2", OutcomeKind::refused, seconds(1));
  EXPECT_EQ(std::get<Wait>(decide()).fault, "E3");
}

TEST_F(BootstrapEtcdTest, TalosOnTheWrongDiskStops) {
  profile_.nodes[2].disk = "/dev/nvme0n1";
  Disk stick;
  stick.id = "sdz";
  stick.dev_path = "/dev/sdz";
  stick.system_disk = true;
  view_.nodes[2].disks = std::vector<Disk>{stick};
  EXPECT_EQ(stop_id(), "D4");
  profile_.nodes[2].disk = "/dev/sdz";
  EXPECT_TRUE(std::holds_alternative<Remember>(decide()));
}

TEST_F(BootstrapEtcdTest, AClusterOlderThanItsJournalIsOnlyLookedAt) {
  JournalRecord bound;
  bound.kind = RecordKind::identity_bound;
  bound.node = NodeName("cp2");
  bound.value = encode_identity(*view_.nodes[1].identity, {});
  facts_.fold(bound, now_);
  EXPECT_EQ(stop_id(), "L6");
  JournalRecord adopted;
  adopted.kind = RecordKind::observed;
  adopted.key = kAdoptedKey;
  facts_.fold(adopted, now_);
  EXPECT_TRUE(std::holds_alternative<Remember>(decide()));
}

TEST_F(BootstrapEtcdTest, AClockOutOfSyncIsWaitedForAndNotAskedAgainAndAgain) {
  remember_target("cp1");
  view_.nodes[0].time_synced = false;
  EXPECT_EQ(std::get<Wait>(decide()).fault, "T7");
  view_.nodes[0].time_synced = true;
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
}

TEST_F(BootstrapEtcdTest, TwoClustersAreNamedWithEveryMember) {
  give_members(0, {{EtcdMemberId(1), "cp1", false}, {EtcdMemberId(3), "cp3", false}});
  give_members(1, {{EtcdMemberId(2), "cp2", false}});
  const Decision decision = decide();
  EXPECT_EQ(std::get<Stop>(decision).finding.what,
            "two etcd clusters: [cp1 0000000000000001, cp3 0000000000000003] and "
            "[cp2 0000000000000002]");
}

TEST_F(BootstrapEtcdTest, AMemberThatHasNotSaidItsNameIsNoForeigner) {
  give_members(0, {{EtcdMemberId(1), "cp1", false}, {EtcdMemberId(2), "", true}});
  EXPECT_TRUE(std::holds_alternative<Satisfied>(decide()));
}

TEST_F(BootstrapEtcdTest, AWorkerThatIsAMemberStops) {
  profile_.nodes[2].role = Role::worker;
  view_.nodes.pop_back();
  give_members(0, {{EtcdMemberId(1), "cp3", false}});
  EXPECT_EQ(stop_id(), "E5");
}

TEST_F(BootstrapEtcdTest, AStrangerStops) {
  view_.nodes[1].presence = Presence::stranger;
  EXPECT_TRUE(std::holds_alternative<Stop>(decide()));
}

TEST_F(BootstrapEtcdTest, SaysWhatItKnowsOfAnEtcdThatIsOnItsWay) {
  remember_target("cp1");
  view_.nodes[1].etcd.has_data = Known::yes;
  view_.nodes[1].etcd.service_state = "";
  view_.nodes[1].services =
      std::vector<ServiceStatus>{{"apid", "Running", true, true, "Health check successful"}};
  const std::string data = "cp2 has etcd data and its etcd does not answer yet ";
  EXPECT_EQ(wait_reason(), data + "(unknown)");
  view_.nodes[1].etcd.service_state = "Running";
  view_.nodes[1].services->push_back({"etcd", "Running", false, false, ""});
  EXPECT_EQ(wait_reason(), data + "(Running)");
  view_.nodes[1].services->back().last_message = "Health check failed";
  EXPECT_EQ(wait_reason(), data + "(Running: Health check failed)");
}

TEST_F(BootstrapEtcdTest, WaitsForATargetThatCannotBeCalledYet) {
  remember_target("cp1");
  NodeView& target = view_.nodes[0];
  const NodeView up = target;
  target.presence = Presence::maintenance;
  EXPECT_EQ(wait_reason(), "cp1 is not up with its config yet");
  target = up;
  target.status.reset();
  EXPECT_EQ(wait_reason(), "cp1 is not up with its config yet");
  target = up;
  target.identity.reset();
  EXPECT_EQ(wait_reason(), "cp1 is not up with its config yet");
  target = up;
  target.status->stage = Stage::installing;
  EXPECT_EQ(wait_reason(), "cp1 is installing");
  target.status->stage = Stage::running;
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
}

TEST_F(BootstrapEtcdTest, ARefusedCallIsRepeated) {
  remember_target("cp1");
  remember_call("cp1", "boot-cp1", OutcomeKind::refused, seconds(1));
  const Decision decision = decide();
  EXPECT_EQ(std::get<Act>(decision).node_call().why.find("no control plane has etcd data ("), 0u);
}

TEST_F(BootstrapEtcdTest, ACallThatDidNotTakeIsSaidToBeOne) {
  remember_target("cp1");
  remember_call("cp1", "boot-cp1", OutcomeKind::unknown, kSettleTime + seconds(1));
  const Decision decision = decide();
  EXPECT_NE(std::get<Act>(decision).node_call().why.find("had no effect"), std::string::npos);
}

TEST_F(BootstrapEtcdTest, AnEtcdThatWaitsForSomethingElseIsBootstrappedAgain) {
  remember_target("cp1");
  view_.nodes[0].services =
      std::vector<ServiceStatus>{{"etcd", "Preparing", false, true, "pulling its image"}};
  remember_call("cp1", "boot-cp1", OutcomeKind::done, kPullTime + seconds(1));
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
  remember_call("cp1", "boot-cp1", OutcomeKind::unknown, kPullTime + seconds(1));
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
}

TEST_F(BootstrapEtcdTest, OnlyASystemDiskThatIsKnownToBeWrongStops) {
  remember_target("cp1");
  Disk data;
  data.id = "sda";
  data.dev_path = "/dev/sda";
  Disk system = data;
  system.id = "sdb";
  system.dev_path = "/dev/sdb";
  system.system_disk = true;
  view_.nodes[2].disks = std::vector<Disk>{data, system};
  profile_.nodes[2].disk = "";  // it does not say which
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
  profile_.nodes[2].disk_selector.size = "many";
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
  profile_.nodes[2].disk_selector = {};
  profile_.nodes[2].disk = "/dev/sdb";
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
  profile_.nodes[2].disk = "/dev/sda";
  EXPECT_EQ(stop_id(), "D4");
  view_.nodes[2].disks->pop_back();  // it runs from none of them
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
}

TEST_F(BootstrapEtcdTest, ADiskThatCannotBeWrittenStops) {
  Disk dead;
  dead.id = "sda";
  dead.dev_path = profile_.nodes[0].disk = "/dev/sda";
  dead.system_disk = dead.read_only = true;
  view_.nodes[0].disks = std::vector<Disk>{dead};
  const Decision decision = decide();
  ASSERT_TRUE(std::holds_alternative<Stop>(decision));
  EXPECT_EQ(std::get<Stop>(decision).finding.id, "D11");
}

TEST_F(BootstrapEtcdTest, AWorkerThatRanBeforeTheJournalSaysNothingOfEtcd) {
  NodePlan worker;
  worker.name = NodeName("w1");
  worker.role = Role::worker;
  profile_.nodes.insert(profile_.nodes.begin(), worker);
  JournalRecord bound;
  bound.kind = RecordKind::identity_bound;
  bound.node = worker.name;
  bound.value = encode_identity(*view_.nodes[1].identity, {});
  facts_.fold(bound, now_);
  EXPECT_TRUE(std::holds_alternative<Remember>(decide()));
}

TEST_F(BootstrapEtcdTest, WaitsUntilTheNodeIsInstalled) {
  remember_target("cp1");
  view_.nodes[0].status->install =
      UnattendedInstall{UnattendedInstall::Phase::waiting_for_reboot, {}};
  EXPECT_EQ(wait_reason(), "cp1 is installed and waits for its reboot");
}

TEST_F(BootstrapEtcdTest, IsNotSentWhileTheContainerRuntimeStarts) {
  remember_target("cp1");
  ServiceStatus runtime{"cri", "Running", false, true, "Started"};
  view_.nodes[0].services = std::vector<ServiceStatus>{runtime};
  EXPECT_EQ(wait_reason(), "cp1 starts its container runtime (Running)");
  view_.nodes[0].services->front().healthy = true;
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
}

TEST_F(BootstrapEtcdTest, APartitionOfEtcdsOwnInMaintenanceModeIsNoNo) {
  remember_target("cp1");
  view_.nodes[2].presence = Presence::maintenance;
  view_.nodes[2].etcd = {};
  Disk disk;
  disk.dev_path = "/dev/sda";
  view_.nodes[2].disks = std::vector<Disk>{disk};
  EXPECT_TRUE(std::holds_alternative<Act>(decide()));
  view_.nodes[2].disks->front().etcd_volume = true;
  EXPECT_EQ(wait_reason(),
            "cp3 is in maintenance mode and has a partition ETCD on /dev/sda, which may hold the "
            "data of an old cluster");
}

TEST(EtcdGroups, AreTheListsThatOverlapAndTheLongestSpeaks) {
  ClusterView view;
  view.nodes.resize(4);
  view.nodes[0].etcd.members = {{EtcdMemberId(1), "cp1", false}};
  view.nodes[1].etcd.members = {{EtcdMemberId(1), "cp1", false}, {EtcdMemberId(2), "cp2", true}};
  view.nodes[2].etcd.members.emplace();  // it answered with an empty list
  const auto groups = etcd_groups(view);
  ASSERT_EQ(groups.size(), 1);
  EXPECT_EQ(groups[0].seen_by.size(), 2);
  EXPECT_EQ(to_text(groups[0]), "cp1, cp2 (learner)");
}

}  // namespace
}  // namespace ichor
