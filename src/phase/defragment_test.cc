#include "phase/defragment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/test_etcd.h"

namespace ichor {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

class DefragmentTest : public ThreeMembers {
 protected:
  std::string decide() const { return reported(Defragment(plan_).decide(wanted(), view_)); }
  DefragmentPlan plan_{{{NodeName("cp1"), 0}, {NodeName("cp2"), 0}, {NodeName("cp3"), 0}}};
};

TEST_F(DefragmentTest, OneMemberAtATimeAndTheLeaderLast) {
  EXPECT_EQ(decide(), "act EtcdDefragment cp2");
  sent(Call::etcd_defragment, "cp2", OutcomeKind::done);
  EXPECT_EQ(decide(), "act EtcdDefragment cp3");
  sent(Call::etcd_defragment, "cp3", OutcomeKind::done);
  EXPECT_EQ(decide(), "act EtcdDefragment cp1");
  sent(Call::etcd_defragment, "cp1", OutcomeKind::done);
  EXPECT_EQ(decide(), "satisfied");
}

TEST_F(DefragmentTest, TheNextOneWaitsUntilAllAreHealthyAgain) {
  sent(Call::etcd_defragment, "cp2", OutcomeKind::done);
  view_.nodes[1].etcd.service_healthy = false;
  EXPECT_THAT(decide(), StartsWith("wait etcd on cp2 is not healthy"));
}

TEST_F(DefragmentTest, ItAlsoEndsOnlyWhenTheLastOneIsHealthyAgain) {
  for (const char* node : {"cp1", "cp2", "cp3"}) {
    sent(Call::etcd_defragment, node, OutcomeKind::done);
  }
  view_.nodes[0].etcd.service_healthy = false;
  EXPECT_THAT(decide(), StartsWith("wait etcd on cp1"));
}

TEST_F(DefragmentTest, WithoutAHealthyClusterNothingIsSent) {
  status(2).is_learner = true;
  EXPECT_THAT(decide(), HasSubstr("still a learner"));
  status(2).is_learner = false;
  view_.nodes[0].etcd.alarms->push_back({EtcdMemberId(2), EtcdAlarmKind::corrupt});
  EXPECT_EQ(decide(), "stop E9");
}

TEST_F(DefragmentTest, NoSpaceIsWhatItIsTheRemedyFor) {
  for (NodeView& node : view_.nodes) {
    node.etcd.alarms->push_back({EtcdMemberId(2), EtcdAlarmKind::no_space});
    node.etcd.status->errors.push_back("memberID:2 alarm:NOSPACE ");
  }
  EXPECT_EQ(decide(), "act EtcdDefragment cp2");
}

TEST_F(DefragmentTest, AMemberWithLittleToFreeIsLeftAlone) {
  status(1).db_bytes_in_use = status(1).db_bytes / 100 * 95;
  EXPECT_EQ(decide(), "act EtcdDefragment cp3");
}

TEST_F(DefragmentTest, WhatAnEarlierRunDidDoesNotCount) {
  sent(Call::etcd_defragment, "cp2", OutcomeKind::done);
  plan_.nodes[NodeName("cp2")] = facts_.last(Call::etcd_defragment, NodeName("cp2"))->intent;
  EXPECT_EQ(decide(), "act EtcdDefragment cp2");
}

TEST_F(DefragmentTest, AnUnknownOutcomeIsWaitedForAndThenSentAgain) {
  sent(Call::etcd_defragment, "cp2", OutcomeKind::unknown, seconds(5));
  EXPECT_THAT(decide(), HasSubstr("cp2 was defragmented is not known"));
  sent(Call::etcd_defragment, "cp2", OutcomeKind::unknown, kSettleTime);
  EXPECT_EQ(decide(), "act EtcdDefragment cp2") << "it does no harm twice";
}

TEST_F(DefragmentTest, OnlyTheNamedOnes) {
  plan_.nodes.erase(NodeName("cp2"));
  EXPECT_EQ(decide(), "act EtcdDefragment cp3");
}

}  // namespace
}  // namespace ichor
