#include "engine/planner.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/forecast.h"
#include "phase/upgrade.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Three control planes and a worker, seen in some state.
class PlannerTest : public ::testing::Test {
 protected:
  PlannerTest() {
    profile_.name = "infra";
    profile_.worker_order = WorkerOrder::after_api;
    for (int i = 1; i <= 3; ++i) add(fmt::format("cp{}", i), Role::control_plane);
    add("w1", Role::worker);
  }

  void add(const std::string& name, Role role) {
    NodePlan plan;
    plan.name = NodeName(name);
    plan.role = role;
    plan.address = IpAddress("192.168.22." + fmt::to_string(profile_.nodes.size() + 1));
    plan.maintenance_address = plan.address;
    profile_.nodes.push_back(plan);

    MachineConfig& config = configs_.nodes[plan.name];
    config.digest.bytes[0] = config.canonical.bytes[1] =
        static_cast<std::uint8_t>(profile_.nodes.size());
    config.role = role;

    NodeView view;
    view.node = plan.name;
    view.presence = Presence::maintenance;
    view.address = plan.address;
    view.fingerprint = Fingerprint("pin of " + name);
    view.status = MachineStatus{Stage::maintenance, true, {}};
    view.identity =
        Identity{MachineUuid("uuid of " + name), {}, {MacAddress("mac of " + name)}, {}};
    view.config_read = true;
    seen_.nodes.push_back(view);
  }

  NodeView& node(const std::string& name) {
    return *std::find_if(seen_.nodes.begin(), seen_.nodes.end(),
                         [&](const NodeView& view) { return view.node.value() == name; });
  }

  void make_everything_ready() {
    for (std::size_t i = 0; i < seen_.nodes.size(); ++i) {
      const NodePlan& plan = profile_.nodes[i];
      forecast_configured(plan, configs_.nodes.at(plan.name), seen_.nodes[i]);
    }
    forecast_etcd(profile_, seen_);
    forecast_api(seen_);
  }

  /// "cp1 ApplyConfiguration", or "cp1 waits: why".
  std::vector<std::string> planned() {
    plan_ = plan_run(profile_, configs_, bring_up(profile_), {}, seen_, MonoTime{});
    std::vector<std::string> lines;
    for (const PlannedStep& step : plan_.steps) {
      const std::string who = step.node.value().empty() ? "cluster" : step.node.value();
      lines.push_back(step.action ? fmt::format("{} {}", who, name_of(step.action->call))
                                  : fmt::format("{} waits: {}", who, step.text));
    }
    return lines;
  }

  ClusterProfile profile_;
  ConfigSet configs_;
  ClusterView seen_;
  RunPlan plan_;
};

TEST_F(PlannerTest, NamesEveryActionFromMaintenanceModeToTheKubeconfig) {
  EXPECT_THAT(planned(), ElementsAre("cp1 ApplyConfiguration", "cp2 ApplyConfiguration",
                                     "cp3 ApplyConfiguration", "cp1 Bootstrap", "cp1 Kubeconfig",
                                     "w1 ApplyConfiguration"));
  EXPECT_EQ(plan_.action_count(), 6);
  EXPECT_THAT(plan_.findings, IsEmpty());
  EXPECT_THAT(plan_.unverified, IsEmpty());
}

TEST_F(PlannerTest, WorkersComeWithTheControlPlanesIfTheProfileSaysSo) {
  profile_.worker_order = WorkerOrder::with_control_planes;
  EXPECT_THAT(planned(), ElementsAre("cp1 ApplyConfiguration", "cp2 ApplyConfiguration",
                                     "cp3 ApplyConfiguration", "w1 ApplyConfiguration",
                                     "cp1 Bootstrap", "cp1 Kubeconfig"));
}

TEST_F(PlannerTest, PlansEverythingForMachinesThatWereNotAsked) {
  const std::vector<std::string> online = planned();
  for (NodeView& view : seen_.nodes) {
    const NodeName name = view.node;
    view = NodeView{};
    view.node = name;
  }
  EXPECT_EQ(planned(), online);
  EXPECT_EQ(plan_.unverified.size(), 4u);
  for (const PlannedStep& step : plan_.steps) EXPECT_TRUE(step.unverified) << step.text;
}

TEST_F(PlannerTest, TakesAMachineThatTheJournalKnowsForWhatItWas) {
  JournalFacts facts;
  for (const NodePlan& plan : profile_.nodes) {
    JournalRecord settled;
    settled.kind = RecordKind::observed;
    settled.node = plan.name;
    settled.key = kSettledKey;
    facts.fold(settled, MonoTime{});
  }
  JournalRecord target;
  target.kind = RecordKind::bootstrap_target;
  target.node = NodeName("cp1");
  facts.fold(target, MonoTime{});
  seen_.kubeconfig_written = true;
  seen_.api_ready = Known::yes;
  for (NodeView& view : seen_.nodes) {
    const NodeName name = view.node;
    view = NodeView{};
    view.node = name;
  }
  const RunPlan plan = plan_run(profile_, configs_, bring_up(profile_), facts, seen_, MonoTime{});
  EXPECT_EQ(plan.action_count(), 0);
  EXPECT_THAT(plan.findings, IsEmpty());
}

TEST_F(PlannerTest, PlansNothingForAClusterThatIsReady) {
  make_everything_ready();
  EXPECT_THAT(planned(), IsEmpty());
}

TEST_F(PlannerTest, PlansOnlyWhatIsMissing) {
  make_everything_ready();
  seen_.kubeconfig_written = false;
  seen_.api_ready = Known::unknown;
  EXPECT_THAT(planned(), ElementsAre("cp1 Kubeconfig"));
}

TEST_F(PlannerTest, MarksWhatRestsOnANodeThatWasNotSeen) {
  NodeView silent;
  silent.node = NodeName("cp2");
  silent.trouble = CallError{Call::open, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
                             "connection refused"};
  node("cp2") = silent;
  EXPECT_THAT(planned(), ElementsAre("cp2 waits: cp2: connection refused", "cp1 ApplyConfiguration",
                                     "cp2 ApplyConfiguration", "cp3 ApplyConfiguration",
                                     "cp1 Bootstrap", "cp1 Kubeconfig", "w1 ApplyConfiguration"));
  EXPECT_THAT(plan_.unverified, ElementsAre(NodeName("cp2")));
  std::vector<std::string> assumed;
  for (const PlannedStep& step : plan_.steps) {
    if (step.unverified) assumed.push_back(step.phase + " " + step.node.value());
  }
  EXPECT_THAT(assumed, ElementsAre("apply cp2", "bootstrap cp1", "kubeconfig cp1"))
      << "bootstrap needs the word of all three";
}

TEST_F(PlannerTest, TellsWhereTheRunWouldStop) {
  node("cp3").presence = Presence::foreign;
  node("cp3").trouble = CallError{Call::open, Progress::not_sent, TlsVerdict::foreign_ca,
                                  Code::unavailable, "unknown certificate authority"};
  const std::vector<std::string> lines = planned();
  ASSERT_EQ(plan_.findings.size(), 1u);
  EXPECT_EQ(plan_.findings[0].node, NodeName("cp3"));
  EXPECT_TRUE(plan_.unsafe);
  EXPECT_THAT(lines, ElementsAre("cp1 ApplyConfiguration", "cp2 ApplyConfiguration"))
      << "workers wait for an API that never answers";
}

TEST_F(PlannerTest, PlansAnUpgradeNodeByNodeWithTheLeaderLast) {
  make_everything_ready();
  UpgradePlan upgrade;
  upgrade.target = {1, 13, 10};
  std::uint64_t number = 0;
  for (NodeView& view : seen_.nodes) {
    upgrade.nodes.insert(view.node);
    view.version = TalosVersion{1, 13, 9};
    view.upgrade.emplace();
    view.kube.emplace();
    view.kube->uid = "uid";
    view.kube->ready = true;
    if (view.etcd.status) view.etcd.status->member = EtcdMemberId(++number);
  }
  node("w1").kube->pods.push_back({"apps", "web", "uid of web", false, {}});
  plan_ = plan_run(profile_, configs_, upgrade_steps(upgrade), {}, seen_, MonoTime{});
  std::vector<std::string> lines;
  for (const PlannedStep& step : plan_.steps) {
    lines.push_back(step.action
                        ? fmt::format("{} {}", step.node.value(), name_of(step.action->call))
                        : "waits: " + step.text);
  }
  EXPECT_THAT(lines, ElementsAre("cp1 ImagePull", "cp2 ImagePull", "cp3 ImagePull", "w1 ImagePull",
                                 "cp2 cordon", "cp2 Upgrade", "cp2 Reboot", "cp2 uncordon",  //
                                 "cp3 cordon", "cp3 Upgrade", "cp3 Reboot", "cp3 uncordon",  //
                                 "cp1 EtcdForfeitLeadership", "cp1 cordon", "cp1 Upgrade",
                                 "cp1 Reboot", "cp1 uncordon", "w1 cordon", "w1 eviction",
                                 "w1 Upgrade", "w1 Reboot", "w1 uncordon"));
  EXPECT_THAT(plan_.findings, IsEmpty());
}

TEST_F(PlannerTest, GivesTheSamePlanForTheSameViews) { EXPECT_EQ(planned(), planned()); }

}  // namespace
}  // namespace ichor
