#include "serve/served_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/test_cluster.h"

namespace ichor {
namespace {

std::string stages(const TestCluster& test) {
  std::string text;
  for (const NodeStage& one : node_stages(test.cluster)) {
    text += one.node + " " + std::string(one.stage) + "; ";
  }
  return text;
}

TEST(ServedCluster, TheJournalSaysHowFarANodeIs) {
  TestCluster test("infra");
  EXPECT_EQ(stages(test), "cp1 planned; w1 planned; ");
  test.add("one", RecordKind::identity_bound, "cp1", {}, "uuid=1;macs=");
  EXPECT_EQ(stages(test), "cp1 bound; w1 planned; ");
  test.change("one", "w1", OutcomeKind::refused);
  test.change("one", "cp1", OutcomeKind::done);
  EXPECT_EQ(stages(test), "cp1 configured; w1 planned; ");
  test.settle("one", "cp1");
  test.add("one", RecordKind::node_excluded, "w1");
  EXPECT_EQ(stages(test), "cp1 running; w1 excluded; ");
}

TEST(ServedCluster, ANodeThatOnlyTheJournalKnowsIsShown) {
  TestCluster test("infra");
  test.add("one", RecordKind::identity_bound, "old", {}, "uuid=1;macs=");
  EXPECT_EQ(stages(test), "cp1 planned; w1 planned; old bound; ");
}

TEST(ServedCluster, ARunIsInProgressWhileItsLockIsHeldAndItHasNoEnd) {
  TestCluster test("infra");
  test.start("one");
  EXPECT_FALSE(ClusterRuns(test.cluster).running());
  test.cluster.held = true;
  EXPECT_TRUE(ClusterRuns(test.cluster).running());
  test.end("one", "0", "ready");
  EXPECT_FALSE(ClusterRuns(test.cluster).running());
  test.start("two");
  EXPECT_FALSE(ClusterRuns(test.cluster).running(1));
  EXPECT_TRUE(ClusterRuns(test.cluster).running(2));
}

}  // namespace
}  // namespace ichor
