#include "engine/run_records.h"

#include <gtest/gtest.h>

#include "model/run_record.h"
#include "phase/apply.h"
#include "phase/etcd_health.h"

namespace ichor {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

PhaseEnd ended(StepEnd end, int retries = 0) {
  PhaseEnd result;
  result.end = end;
  result.retries = retries;
  return result;
}

TEST(RunRecords, AStepThatTookTimeIsKept) {
  const auto record =
      record_of_step(NodeName("w1"), Apply(), ended(StepEnd::passed, 2), seconds(61));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->node.value(), "w1");
  const StepFact fact = step_in(*record);
  EXPECT_EQ(fact.step, "apply");
  EXPECT_EQ(fact.end, "done");
  EXPECT_EQ(fact.took, seconds(61));
  EXPECT_EQ(fact.retries, 2);
}

TEST(RunRecords, AStepThatFoundAllInPlaceIsNot) {
  EXPECT_FALSE(record_of_step(NodeName("w1"), Apply(), ended(StepEnd::passed), milliseconds(999)));
  EXPECT_FALSE(record_of_step(NodeName("w1"), Apply(), ended(StepEnd::cancelled), seconds(61)));
}

TEST(RunRecords, AStepThatFailedAtOnceIsKept) {
  const auto record = record_of_step(NodeName("w1"), Apply(), ended(StepEnd::failed), {});
  ASSERT_TRUE(record);
  EXPECT_EQ(step_in(*record).end, "failed");
}

ClusterView two_members() {
  ClusterView view;
  NodeView& node = view.nodes.emplace_back();
  node.etcd.members.emplace();
  node.etcd.members->push_back({});
  node.etcd.members->back().id = EtcdMemberId(1);
  node.etcd.members->back().hostname = "cp1";
  node.etcd.members->push_back({});
  node.etcd.members->back().id = EtcdMemberId(2);
  node.etcd.members->back().hostname = "cp2";
  node.etcd.members->back().is_learner = true;
  return view;
}

TEST(RunRecords, TheMembersOfAHealthyEtcdAreKept) {
  const auto record = record_of_members(EtcdHealth(), ended(StepEnd::passed), two_members());
  ASSERT_TRUE(record);
  EXPECT_EQ(record->key, kMembersKey);
  EXPECT_EQ(record->value, "cp1, cp2 (learner)");
}

TEST(RunRecords, OfAnEtcdThatIsNotHealthyNoMembersAreRecorded) {
  EXPECT_FALSE(record_of_members(EtcdHealth(), ended(StepEnd::failed), two_members()));
  EXPECT_FALSE(record_of_members(Apply(), ended(StepEnd::passed), two_members()));
  EXPECT_FALSE(record_of_members(EtcdHealth(), ended(StepEnd::passed), ClusterView()));
}

}  // namespace
}  // namespace ichor
