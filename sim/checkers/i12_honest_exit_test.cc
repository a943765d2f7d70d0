#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(HonestExit, HoldsForAClusterThatIsUp) {
  History history("I12");
  history.comes_up();
  history.ends(Exit::done);
  EXPECT_EQ(history.violation(), "");
}

TEST(HonestExit, IsBrokenBySuccessOfNothing) {
  History history("I12");
  history.ends(Exit::done);
  EXPECT_THAT(history.violation(), testing::HasSubstr("cp1 is not running and ready"));
}

TEST(HonestExit, IsBrokenByAWorkerThatIsGone) {
  History history("I12");
  history.comes_up();
  history.node("w1").power_off();
  history.passes(seconds(31));
  history.ends(Exit::done);
  EXPECT_THAT(history.violation(), testing::HasSubstr("w1 is not running and ready"));
}

TEST(HonestExit, ForgivesWhatHappenedAfterTheLastLook) {
  History history("I12");
  history.comes_up();
  history.node("w1").power_off();
  history.passes(seconds(5));
  history.ends(Exit::done);
  EXPECT_EQ(history.violation(), "");
}

TEST(HonestExit, DoesNotMissANodeThatTheOperatorExcluded) {
  History history("I12");
  history.comes_up();
  history.node("w1").power_off();
  history.passes(minutes(1));
  history.records(RecordKind::node_excluded, "w1");
  history.ends(Exit::done);
  EXPECT_EQ(history.violation(), "");
}

TEST(HonestExit, IsBrokenByANodeWithAnotherConfig) {
  History history("I12");
  for (const NodePlan& plan : history.profile().nodes) history.node(plan.name.value()).power_on();
  history.passes(minutes(1));
  for (const NodePlan& plan : history.profile().nodes) {
    history.take_config(history.node(plan.name.value()));
  }
  history.configs().nodes.at(NodeName("w1")).bytes = SecretString("what was wanted of w1");
  history.passes(minutes(3));
  history.take_bootstrap("cp1");
  history.passes(minutes(5));
  ASSERT_EQ(history.node("w1").stage(), Stage::running);
  history.ends(Exit::done);
  EXPECT_THAT(history.violation(), testing::HasSubstr("w1 is not running and ready"));
}

TEST(HonestExit, IsBrokenByEtcdWithoutQuorum) {
  History history("I12");
  history.comes_up();
  ASSERT_EQ(history.fabric().clusters().size(), 1u);
  EtcdCluster& cluster = *history.fabric().clusters().front();
  cluster.set_up(cluster.members[0].id, false);
  cluster.set_up(cluster.members[1].id, false);
  history.checker->on_node_changed(history.node("cp1"));
  history.passes(seconds(31));
  history.ends(Exit::done);
  EXPECT_THAT(history.violation(), testing::HasSubstr("etcd is not one cluster with quorum"));
}

TEST(HonestExit, IsBrokenByAFailureWithoutVerdict) {
  History history("I12");
  history.ends(Exit::failed, "");
  EXPECT_EQ(history.violation(), "run 1 ended with 1 and no verdict");
}

TEST(HonestExit, HoldsForAFailureThatSaysWhy) {
  History history("I12");
  history.ends(Exit::out_of_time, "apply: out of time after 15m00s: cp1 is installing");
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
