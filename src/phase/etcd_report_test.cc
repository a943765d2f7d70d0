#include "phase/etcd_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/test_etcd.h"

namespace ichor {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class EtcdReportTest : public ThreeMembers {
 protected:
  /// "E6 text" of each finding.
  std::vector<std::string> reported() const {
    std::vector<std::string> texts;
    for (const Finding& one : etcd_findings(profile_, view_)) {
      texts.push_back(one.id + " " + one.what);
    }
    return texts;
  }
  std::string source() const {
    const NodeView* node = snapshot_source(view_);
    return node ? node->node.value() : "(none)";
  }
};

TEST_F(EtcdReportTest, HealthyMembersThatAgreeAreNoFinding) { EXPECT_THAT(reported(), IsEmpty()); }

TEST_F(EtcdReportTest, MembersThatListOthersAreNamed) {
  view_.nodes[2].etcd.members->pop_back();
  EXPECT_THAT(reported(), testing::ElementsAre("E6 cp1 and cp3 list different members"));
}

TEST_F(EtcdReportTest, TheOrderOfAListDoesNotMatter) {
  std::swap(view_.nodes[2].etcd.members->front(), view_.nodes[2].etcd.members->back());
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(EtcdReportTest, DifferentLeadersAreNamedWithWhoSeesThem) {
  status(2).leader = EtcdMemberId(2);
  ASSERT_EQ(reported().size(), 1u);
  EXPECT_THAT(reported()[0], HasSubstr("0000000000000001 on cp1, cp2; 0000000000000002 on cp3"));
}

TEST_F(EtcdReportTest, ASilentControlPlaneAndLostQuorumAreTwoThings) {
  view_.nodes[1].presence = Presence::silent;
  view_.nodes[1].etcd = {};
  status(0).leader = EtcdMemberId{};
  ASSERT_EQ(reported().size(), 2u);
  EXPECT_THAT(reported()[0], HasSubstr("cp1 sees no leader"));
  EXPECT_THAT(reported()[1], HasSubstr("cp2 is silent"));
}

TEST_F(EtcdReportTest, AMemberThatTheProfileDoesNotHaveIsNamedWithItsId) {
  for (NodeView& node : view_.nodes) {
    node.etcd.members->push_back({EtcdMemberId(9), "old", false});
  }
  ASSERT_EQ(reported().size(), 1u);
  EXPECT_THAT(reported()[0], HasSubstr("E5 member 0000000000000009 (old)"));
}

TEST_F(EtcdReportTest, AnAlarmIsReportedOnceAlthoughEveryMemberListsIt) {
  for (NodeView& node : view_.nodes) {
    node.etcd.alarms->push_back({EtcdMemberId(2), EtcdAlarmKind::corrupt});
  }
  ASSERT_EQ(reported().size(), 1u);
  EXPECT_THAT(reported()[0], HasSubstr("E9 etcd alarm CORRUPT of cp2"));
}

TEST_F(EtcdReportTest, AFullOrFragmentedDatabaseComesWithItsRemedy) {
  status(0).db_bytes = 300ull << 20;
  status(0).db_bytes_in_use = 100ull << 20;
  auto found = etcd_findings(profile_, view_);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::note);
  EXPECT_THAT(found[0].fix, HasSubstr("ichor etcd defrag"));
  status(0).db_bytes = 1900ull << 20;
  status(0).db_bytes_in_use = 1800ull << 20;
  found = etcd_findings(profile_, view_);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::warning);
}

TEST_F(EtcdReportTest, ASnapshotComesFromAVoterThatDoesNotLeadAndIsNotBehind) {
  EXPECT_EQ(source(), "cp2");
  status(1).raft_applied_index = 10;
  EXPECT_EQ(source(), "cp3");
  status(2).is_learner = true;
  EXPECT_EQ(source(), "cp1") << "the leader is better than none";
  view_.nodes[0].etcd.alarms->push_back({EtcdMemberId(1), EtcdAlarmKind::corrupt});
  EXPECT_EQ(source(), "(none)");
}

TEST_F(EtcdReportTest, WithoutALeaderASnapshotCanStillBeTaken) {
  for (std::size_t i = 0; i < 3; ++i) status(i).leader = EtcdMemberId{};
  EXPECT_EQ(source(), "cp1");
}

}  // namespace
}  // namespace ichor
