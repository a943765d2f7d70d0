#include "phase/reset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

/// Three control planes and two workers of a healthy cluster.
class ResetTest : public testing::Test {
 protected:
  ResetTest() {
    std::vector<EtcdMember> members;
    for (const char* name : {"cp1", "cp2", "cp3"}) {
      members.push_back({EtcdMemberId(members.size() + 1), name, false});
    }
    for (const char* name : {"cp1", "cp2", "cp3", "w1", "w2"}) {
      NodePlan plan;
      plan.name = NodeName(name);
      plan.role = name[0] == 'c' ? Role::control_plane : Role::worker;
      profile_.nodes.push_back(plan);
      NodeView node;
      node.node = plan.name;
      node.presence = Presence::configured;
      node.identity = Identity{MachineUuid(std::string("uuid-") + name),
                               {},
                               {MacAddress(name)},
                               BootId(std::string("boot-") + name)};
      node.status = MachineStatus{Stage::running, true, {}};
      Disk disk;
      disk.dev_path = "/dev/sda";
      disk.serial = std::string("S-") + name;
      disk.system_disk = true;
      node.disks = std::vector<Disk>{disk};
      if (plan.role == Role::control_plane) {
        node.etcd.service_healthy = true;
        node.etcd.members = members;
        node.etcd.status = EtcdStatus{};
        node.etcd.status->leader = EtcdMemberId(1);
      }
      view_.nodes.push_back(node);
      bind(node);
    }
  }
  void bind(const NodeView& node) {
    JournalRecord record;
    record.kind = RecordKind::identity_bound;
    record.node = node.node;
    record.value = encode_identity(*node.identity, {});
    facts_.fold(record, now_);
  }
  void want(std::vector<const char*> names) {
    for (const char* name : names) {
      wanted_.nodes.insert(NodeName(name));
      profile_.wipe_consents[NodeName(name)] = std::string("S-") + name;
    }
  }
  NodeView& node(const char* name) {
    for (NodeView& view : view_.nodes) {
      if (view.node.value() == name) return view;
    }
    ADD_FAILURE() << name;
    return view_.nodes.front();
  }
  void sent(const char* name, OutcomeKind outcome, Duration ago) {
    JournalRecord record;
    record.kind = RecordKind::intent;
    record.call = Call::reset;
    record.node = NodeName(name);
    record.key = std::string("boot-") + name;
    record.seq = 9;
    facts_.fold(record, now_ - ago);
    record.kind = RecordKind::outcome;
    record.ref = 9;
    record.outcome = outcome;
    facts_.fold(record, now_ - ago);
  }
  void back_in_maintenance(const char* name) {
    NodeView& view = node(name);
    view.presence = Presence::maintenance;
    view.status = MachineStatus{Stage::maintenance, true, {}};
    view.identity->boot_id = {};
    view.etcd = {};
  }
  Decision decide() const {
    return Reset(wanted_).decide(Wanted{profile_, configs_, facts_, now_}, view_);
  }
  /// "act w1", "wait …", "stop O6", "remember w1" or "satisfied".
  std::string said() const {
    const Decision decision = decide();
    if (const Act* act = std::get_if<Act>(&decision)) return "act " + act->node_call().node.value();
    if (const Wait* wait = std::get_if<Wait>(&decision)) return "wait " + wait->reason;
    if (const Stop* stop = std::get_if<Stop>(&decision)) return "stop " + stop->finding.id;
    if (const Remember* told = std::get_if<Remember>(&decision)) {
      return "remember " + told->record.node.value();
    }
    return "satisfied";
  }

  MonoTime now_{MonoTime{} + minutes(60)};
  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  ClusterView view_;
  ResetPlan wanted_;
};

TEST_F(ResetTest, NothingIsWipedWithoutAConsentThatNamesTheDisk) {
  want({"w1", "w2"});
  profile_.wipe_consents.clear();
  const Decision decision = decide();
  const Stop* stop = std::get_if<Stop>(&decision);
  ASSERT_NE(stop, nullptr);
  EXPECT_TRUE(stop->unsafe);
  EXPECT_EQ(stop->finding.id, "O6");
  EXPECT_THAT(stop->finding.fix, HasSubstr("--consent-wipe w1=S-w1"));
  ASSERT_EQ(stop->more.size(), 1u);
  EXPECT_THAT(stop->more[0].fix, HasSubstr("--consent-wipe w2=S-w2"));
  profile_.wipe_consents[NodeName("w1")] = "S-w2";
  EXPECT_EQ(said(), "stop O6");
}

TEST_F(ResetTest, AContainerIsNamedByItselfOrItsMac) {
  want({"w1"});
  node("w1").disks->clear();
  node("w1").hardware = Hardware{};
  EXPECT_EQ(said(), "stop O6");
  node("w1").hardware->container = true;
  profile_.wipe_consents[NodeName("w1")] = "w1";
  EXPECT_EQ(said(), "act w1");
}

TEST_F(ResetTest, WorkersGoSideBySideAndAreWaitedFor) {
  want({"w1", "w2"});
  EXPECT_EQ(said(), "act w1");
  sent("w1", OutcomeKind::done, seconds(1));
  EXPECT_EQ(said(), "act w2");
  sent("w2", OutcomeKind::done, seconds(1));
  node("w2").status->stage = Stage::resetting;
  EXPECT_THAT(said(), HasSubstr("wait w1 accepted the reset"));
  back_in_maintenance("w1");
  EXPECT_EQ(said(), "remember w1");
}

TEST_F(ResetTest, TheJournalRecordsItAndThenItIsOver) {
  want({"w1"});
  sent("w1", OutcomeKind::unknown, seconds(50));
  back_in_maintenance("w1");
  const Decision decision = decide();
  facts_.fold(std::get<Remember>(decision).record, now_);
  EXPECT_EQ(said(), "satisfied");
  EXPECT_EQ(facts_.last(Call::reset, NodeName("w1")), nullptr);
}

TEST_F(ResetTest, ANodeThatWasResetOutsideIsOnlyRecorded) {
  want({"w1"});
  profile_.wipe_consents.clear();
  JournalRecord settled;
  settled.kind = RecordKind::observed;
  settled.node = NodeName("w1");
  settled.key = kSettledKey;
  facts_.fold(settled, now_);
  back_in_maintenance("w1");
  EXPECT_EQ(said(), "remember w1");
}

TEST_F(ResetTest, ControlPlanesGoOneAfterAnother) {
  want({"cp1", "cp2"});
  EXPECT_EQ(said(), "act cp1");
  sent("cp1", OutcomeKind::done, seconds(1));
  EXPECT_THAT(said(), HasSubstr("wait cp1"));
  node("cp1").presence = Presence::silent;
  EXPECT_THAT(said(), HasSubstr("wait cp1 is away"));
}

TEST_F(ResetTest, AControlPlaneStaysWhileTheOthersAreNoMajority) {
  want({"cp1"});
  node("cp3").etcd.service_healthy = false;
  EXPECT_THAT(said(), HasSubstr("wait cp1 waits: without it 1 of 3"));
  node("cp3").presence = Presence::silent;
  EXPECT_THAT(said(), HasSubstr("wait"));
}

TEST_F(ResetTest, TheWholeClusterHasNoQuorumToKeep) {
  want({"cp1", "cp2", "cp3", "w1", "w2"});
  wanted_.whole_cluster = true;
  node("cp3").etcd.service_healthy = false;
  for (const char* name : {"w1", "w2"}) {
    EXPECT_EQ(said(), std::string("act ") + name);
    sent(name, OutcomeKind::done, seconds(1));
  }
  EXPECT_THAT(said(), HasSubstr("wait w1"));
}

TEST_F(ResetTest, ALostReplyIsLookedAfterBeforeItIsSentAgain) {
  want({"w1"});
  sent("w1", OutcomeKind::unknown, kSettleTime - seconds(1));
  EXPECT_THAT(said(), HasSubstr("wait"));
  sent("w1", OutcomeKind::unknown, kSettleTime + seconds(1));
  EXPECT_EQ(said(), "act w1");
  // One that said yes drains first.
  sent("w1", OutcomeKind::done, kSettleTime + seconds(1));
  EXPECT_THAT(said(), HasSubstr("wait"));
}

TEST_F(ResetTest, WithoutARebootTheMachineIsGone) {
  want({"w1"});
  wanted_.request.reboot = false;
  sent("w1", OutcomeKind::done, seconds(10));
  node("w1").presence = Presence::silent;
  EXPECT_THAT(said(), HasSubstr("wait w1 is away"));
  sent("w1", OutcomeKind::done, minutes(2));
  EXPECT_EQ(said(), "remember w1");
  facts_.fold(std::get<Remember>(decide()).record, now_);
  EXPECT_EQ(said(), "satisfied");
}

TEST_F(ResetTest, APartOfTheDiskLeavesTheConfigAndANewBootEndsIt) {
  want({"w1"});
  wanted_.request.partitions = {"EPHEMERAL"};
  sent("w1", OutcomeKind::done, seconds(100));
  node("w1").identity->boot_id = BootId("the next");
  EXPECT_EQ(said(), "remember w1");
  facts_.fold(std::get<Remember>(decide()).record, now_);
  EXPECT_EQ(said(), "satisfied");
}

TEST_F(ResetTest, DoesNotLeaveEtcdsDataBehindInAPartitionOfItsOwn) {
  want({"cp2"});
  node("cp2").disks->front().etcd_volume = true;
  wanted_.request.partitions = {"STATE", "EPHEMERAL"};
  Decision decision = decide();
  ASSERT_TRUE(std::holds_alternative<Stop>(decision));
  EXPECT_EQ(std::get<Stop>(decision).finding.id, "E5");
  wanted_.request.partitions = {"STATE", "EPHEMERAL", "ETCD"};
  EXPECT_FALSE(std::holds_alternative<Stop>(decide()));
  wanted_.request.partitions = {};
  EXPECT_FALSE(std::holds_alternative<Stop>(decide()));
  // It stays a member, and finds its data again.
  wanted_.request.partitions = {"EPHEMERAL"};
  wanted_.request.graceful = false;
  EXPECT_FALSE(std::holds_alternative<Stop>(decide()));
}

TEST_F(ResetTest, AMachineThatTheJournalDoesNotKnowIsBoundFirst) {
  want({"w1"});
  facts_ = {};
  EXPECT_EQ(said(), "remember w1");
}

TEST_F(ResetTest, ASilentNodeIsWaitedFor) {
  want({"w1"});
  node("w1").presence = Presence::silent;
  EXPECT_THAT(said(), HasSubstr("wait w1"));
}

}  // namespace
}  // namespace ichor
