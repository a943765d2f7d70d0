#include "phase/etcd_health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/test_etcd.h"

namespace ichor {
namespace {

using testing::HasSubstr;
using testing::Not;

class EtcdHealthTest : public ThreeMembers {
 protected:
  Decision decide() const { return EtcdHealth().decide(wanted(), view_); }
  Wait wait() const {
    const Decision decision = decide();
    const Wait* wait = std::get_if<Wait>(&decision);
    return wait ? *wait : Wait{"(no wait)"};
  }
};

TEST_F(EtcdHealthTest, ThreeVotersAreHealthy) {
  EXPECT_TRUE(std::holds_alternative<Satisfied>(decide()));
}

TEST_F(EtcdHealthTest, ALearnerIsWaitedForWithProgressAndNotForEver) {
  status(2).is_learner = true;
  status(2).raft_applied_index = 1200;
  const Wait learner = wait();
  EXPECT_THAT(learner.reason, HasSubstr("member 0000000000000003, 1200 of 9000 entries"));
  EXPECT_EQ(learner.fault, "E7");
  EXPECT_EQ(learner.limit, kPromotionTime);
  EXPECT_THAT(learner.fix, HasSubstr("talosctl -n 192.0.2.1 etcd remove-member 0000000000000003"))
      << "a learner refuses it, a voter does it";
}

TEST_F(EtcdHealthTest, AForgottenLearnerIsNamedAlthoughAnotherNodeOnlyWaitsBehindIt) {
  (*view_.nodes[1].etcd.members)[1].is_learner = true;
  view_.nodes[0].etcd = {};
  view_.nodes[0].etcd.service_state = "Preparing";
  EXPECT_EQ(wait().fault, "E7");
  EXPECT_THAT(wait().reason, HasSubstr("cp2 is still a learner"));
}

TEST_F(EtcdHealthTest, ADeadDiskStopsBeforeAnybodyIsWaitedFor) {
  status(1).is_learner = true;
  Disk disk;
  disk.dev_path = "/dev/sda";
  disk.system_disk = true;
  disk.read_only = true;
  view_.nodes[2].disks = {disk};
  const Decision decision = decide();
  const Stop* stop = std::get_if<Stop>(&decision);
  ASSERT_NE(stop, nullptr);
  EXPECT_EQ(stop->finding.id, "D11");
  EXPECT_EQ(stop->finding.node, NodeName("cp3"));
}

TEST_F(EtcdHealthTest, WithoutALeaderQuorumIsLost) {
  status(1).leader = {};
  EXPECT_EQ(wait().fault, "E8");
}

TEST_F(EtcdHealthTest, AVoterThatLagsFarBehindIsWaitedFor) {
  status(1).raft_applied_index = 9000 - kIndexLag;
  EXPECT_TRUE(std::holds_alternative<Satisfied>(decide()));
  --status(1).raft_applied_index;
  EXPECT_THAT(wait().reason, HasSubstr("cp2 is behind"));
}

TEST_F(EtcdHealthTest, AnAlarmStopsWithItsCommands) {
  view_.nodes[0].etcd.alarms->push_back({EtcdMemberId(1), EtcdAlarmKind::no_space});
  const Decision decision = decide();
  EXPECT_EQ(std::get<Stop>(decision).finding.id, "E9");
  EXPECT_THAT(std::get<Stop>(decision).finding.fix, HasSubstr("etcd defrag"));
}

TEST_F(EtcdHealthTest, AnAlarmIsReportedForItsMemberWhicheverNodeListsIt) {
  // Every member lists the alarms of all; the status repeats them.
  for (NodeView& node : view_.nodes) {
    node.etcd.alarms->push_back({EtcdMemberId(3), EtcdAlarmKind::corrupt});
    node.etcd.status->errors = {"memberID:3 alarm:CORRUPT "};
  }
  const Decision decision = decide();
  const Stop& stop = std::get<Stop>(decision);
  EXPECT_EQ(stop.finding.node, NodeName("cp3"));
  EXPECT_THAT(stop.more, testing::IsEmpty());
  EXPECT_EQ(stop.finding.what, "etcd alarm CORRUPT of cp3 (member 0000000000000003)");
  EXPECT_THAT(stop.finding.fix, HasSubstr("`ichor reset cp3`"));
  EXPECT_THAT(stop.finding.fix, HasSubstr("remove-member 0000000000000003"));
  EXPECT_THAT(stop.finding.fix, HasSubstr("etcd snapshot"));
  EXPECT_THAT(stop.finding.fix, Not(HasSubstr("cp1")));
}

TEST_F(EtcdHealthTest, NoMemberIsGivenUpThatEtcdDoesNotName) {
  for (NodeView& node : view_.nodes) {
    node.etcd.alarms->push_back({EtcdMemberId(0), EtcdAlarmKind::corrupt});
  }
  const Decision decision = decide();
  const Stop& stop = std::get<Stop>(decision);
  EXPECT_EQ(stop.finding.node, NodeName());
  EXPECT_THAT(stop.finding.fix, HasSubstr("reset no control plane"));
  EXPECT_THAT(stop.finding.fix, Not(HasSubstr("ichor reset")));
}

TEST_F(EtcdHealthTest, NoMemberIsGivenUpWithoutAHealthyMajority) {
  for (NodeView& node : view_.nodes) {
    for (const std::uint64_t id : {2, 3}) {
      node.etcd.alarms->push_back({EtcdMemberId(id), EtcdAlarmKind::corrupt});
    }
  }
  const Decision decision = decide();
  const Stop& stop = std::get<Stop>(decision);
  ASSERT_THAT(stop.more, testing::SizeIs(1));
  for (const Finding& finding : {stop.finding, stop.more[0]}) {
    EXPECT_THAT(finding.fix, HasSubstr("snapshot"));
    EXPECT_THAT(finding.fix, Not(HasSubstr("ichor reset")));
    EXPECT_THAT(finding.fix, Not(HasSubstr("remove-member")));
  }
}

TEST_F(EtcdHealthTest, AnErrorOfAMemberIsShown) {
  status(0).errors = {"etcdserver: slow fsync"};
  EXPECT_EQ(wait().fault, "E9");
  EXPECT_THAT(wait().reason, HasSubstr("slow fsync"));
}

TEST_F(EtcdHealthTest, AMissingVoterIsAJoinUnderWay) {
  for (NodeView& node : view_.nodes) node.etcd.members->pop_back();
  EXPECT_EQ(wait().fault, "E6");
}

}  // namespace
}  // namespace ichor
