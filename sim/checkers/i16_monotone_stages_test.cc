#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// A machine alone in its world. Two of them have the same boot id, so one can be shown for the
/// past of the other.
struct Twin {
  VirtualClock clock;
  SeededRandom random{3};
  Fabric fabric{random};
  ClusterFixture cluster;
  std::unique_ptr<Node> node;

  explicit Twin(Duration after_config) : cluster(make_fixture(shape())) {
    node = std::make_unique<Node>(clock, random, fabric, cluster.judge, cluster.hardware.front());
    node->power_on();
    clock.run_for(seconds(26));
    if (after_config == Duration{}) return;
    const MachineConfig& config = cluster.configs.nodes.begin()->second;
    const auto taken =
        node->apply({}, std::string(config.bytes.reveal()), Node::ApplyMode::automatic, false);
    check(taken.has_value(), "config taken");
    clock.run_for(after_config);
  }
  static SeedPlan shape() {
    SeedPlan plan;
    plan.shape = {1, 0};
    return plan;
  }
};

/// Shows the checker two sights of one place, one after the other.
std::string violation_of(Twin& first, Twin& second) {
  std::vector<std::unique_ptr<Node>> nodes(1);
  const std::vector<JournalRecord> journal;
  const Truth truth{first.clock, first.cluster.profile, first.cluster.configs,
                    nodes,       first.fabric,          journal};
  std::unique_ptr<Checker> checker;
  for (auto& candidate : make_checkers(truth)) {
    if (candidate->id() == "I16") checker = std::move(candidate);
  }
  for (Twin* twin : {&first, &second}) {
    nodes.front().swap(twin->node);
    checker->on_node_changed(*nodes.front());
    nodes.front().swap(twin->node);
  }
  return checker->violation();
}

TEST(MonotoneStages, HoldsForAWholeBringUp) {
  History history("I16");
  history.comes_up();
  EXPECT_EQ(history.node("cp1").stage(), Stage::running);
  EXPECT_EQ(history.violation(), "");
}

TEST(MonotoneStages, HoldsForPowerCutsAnywhere) {
  History history("I16");
  for (const int after_s : {5, 26, 60}) {
    history.node("w1").power_on();
    history.passes(seconds(after_s));
    history.node("w1").power_cycle();
    history.passes(seconds(after_s));
    history.node("w1").power_off();
    history.passes(seconds(1));
  }
  history.comes_up();
  history.node("cp2").power_cycle();
  history.passes(minutes(3));
  EXPECT_EQ(history.violation(), "");
}

TEST(MonotoneStages, IsBrokenByAStepBackWithinABoot) {
  Twin installing(seconds(10));
  Twin maintenance(Duration{});
  ASSERT_EQ(installing.node->stage(), Stage::installing);
  ASSERT_EQ(maintenance.node->stage(), Stage::maintenance);
  ASSERT_EQ(installing.node->boot_id(), maintenance.node->boot_id());
  EXPECT_EQ(violation_of(installing, maintenance),
            "cp1 went from installing to maintenance within one boot");
}

TEST(MonotoneStages, HoldsForTheSameTwoSightsInTheirOrder) {
  Twin maintenance(Duration{});
  Twin installing(seconds(10));
  EXPECT_EQ(violation_of(maintenance, installing), "");
}

TEST(MonotoneStages, AllowsTheStepBackWithANewBoot) {
  Twin installing(seconds(10));
  Twin maintenance(Duration{});
  maintenance.node->power_cycle();
  maintenance.clock.run_for(seconds(26));
  ASSERT_EQ(maintenance.node->stage(), Stage::maintenance);
  EXPECT_EQ(violation_of(installing, maintenance), "");
}

}  // namespace
}  // namespace ichor::sim
