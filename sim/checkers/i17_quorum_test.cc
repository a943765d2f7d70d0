#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

TEST(Quorum, HoldsForABringUp) {
  History history("I17");
  history.comes_up();
  EXPECT_EQ(history.violation(), "");
}

TEST(Quorum, HoldsForOneDisturbedMemberOfThree) {
  History history("I17");
  history.comes_up();
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(Quorum, IsBrokenByDisturbingTheSecondOfThree) {
  History history("I17");
  history.comes_up();
  history.node("cp2").power_off();
  history.sends(Call::apply_configuration, "cp1");
  EXPECT_EQ(history.violation(),
            "ApplyConfiguration left for cp1, and without it 1 of 3 voters are up");
}

TEST(Quorum, AllowsWhatGoesToWorkersWheneverItComes) {
  History history("I17");
  history.comes_up();
  history.node("cp2").power_off();
  history.sends(Call::apply_configuration, "w1");
  EXPECT_EQ(history.violation(), "");
}

EtcdCluster cluster_of(std::vector<EtcdCluster::Member> members) {
  EtcdCluster cluster;
  cluster.id = 77;
  cluster.members = std::move(members);
  cluster.revision = 5;
  return cluster;
}

TEST(Quorum, IsBrokenByTwoLearners) {
  History history("I17");
  history.fabric().restore_cluster(cluster_of({{EtcdMemberId(1), NodeName("cp1"), false, true},
                                               {EtcdMemberId(2), NodeName("cp2"), true, true},
                                               {EtcdMemberId(3), NodeName("cp3"), true, true}}));
  history.checker->on_node_changed(history.node("cp1"));
  EXPECT_EQ(history.violation(), "etcd has 2 learners at once");
}

TEST(Quorum, IsBrokenByTwoMembersOfOneName) {
  History history("I17");
  history.fabric().restore_cluster(cluster_of({{EtcdMemberId(1), NodeName("cp1"), false, true},
                                               {EtcdMemberId(2), NodeName("cp1"), false, true}}));
  history.checker->on_node_changed(history.node("cp1"));
  EXPECT_EQ(history.violation(), "etcd has two members named cp1");
}

}  // namespace
}  // namespace ichor::sim
