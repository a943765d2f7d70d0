#include "sim/rehearsal.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "sim/campaign.h"
#include "sim/rehearsal_settings.h"

namespace ichor::sim {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;

using std::chrono::minutes;
using std::chrono::seconds;

/// Three control planes behind a VIP and a worker.
ClusterProfile four_nodes() {
  ClusterProfile profile;
  profile.name = "infra";
  profile.network.api_endpoint = "https://10.0.0.100:6443";
  for (int i = 1; i <= 4; ++i) {
    NodePlan plan;
    plan.name = NodeName(i < 4 ? fmt::format("cp{}", i) : "w1");
    plan.role = i < 4 ? Role::control_plane : Role::worker;
    plan.address = plan.maintenance_address = IpAddress(fmt::format("10.0.0.{}", i));
    plan.mac = MacAddress(fmt::format("52:54:00:00:00:0{}", i));
    profile.nodes.push_back(plan);
  }
  return profile;
}

RehearsalReport run(const ClusterProfile& profile, const std::string& faults,
                    std::uint64_t seeds = 40, int jobs = 1) {
  RehearsalOptions options;
  options.last_seed = seeds;
  options.jobs = jobs;
  options.faults = *parse_faults(faults);
  return rehearse(profile, options);
}

std::uint64_t count(const RehearsalReport& report, RehearsalEnd end) {
  const auto found = report.figures.ends.find(end);
  return found == report.figures.ends.end() ? 0 : found->second;
}

const StepFigures& step(const RehearsalReport& report, std::string_view name) {
  const auto found = std::find_if(report.steps.begin(), report.steps.end(),
                                  [&](const StepFigures& figures) { return figures.name == name; });
  EXPECT_NE(found, report.steps.end()) << name;
  return *found;
}

const SettingTrial* trial(const RehearsalReport& report, std::string_view setting) {
  for (const SettingTrial& one : report.trials) {
    if (one.setting == setting) return &one;
  }
  return nullptr;
}

TEST(Rehearsal, WithoutFaultsEverySeedIsReadyByItsFirstRun) {
  const RehearsalReport report = run(four_nodes(), "none");
  EXPECT_EQ(report.figures.success_rate(), 1.0);
  EXPECT_EQ(report.figures.at_once, 40u);
  EXPECT_LT(*report.figures.p50, minutes(6));
  EXPECT_LE(*report.figures.p50, *report.figures.p95);
  EXPECT_LE(*report.figures.p95, *report.figures.max);
}

TEST(Rehearsal, TheStepsOfASeedAddUpToItsTimeToReady) {
  const RehearsalReport report = run(four_nodes(), "all");
  for (const RehearsedSeed& seed : report.seeds) {
    if (seed.end != RehearsalEnd::ready) continue;
    const Duration sum = std::accumulate(seed.spent.begin(), seed.spent.end(), Duration{});
    EXPECT_EQ(sum, seed.ready_after) << seed.seed;
  }
}

TEST(Rehearsal, NoInvariantBreaksOnBadDays) {
  const RehearsalReport report = run(four_nodes(), "all", 200);
  for (const RehearsedSeed& seed : report.seeds) {
    EXPECT_NE(seed.end, RehearsalEnd::wrong) << seed.seed << ": " << seed.verdict;
  }
  EXPECT_GT(count(report, RehearsalEnd::ready), 170u);
  EXPECT_GT(count(report, RehearsalEnd::stopped), 0u) << "a lasting fault is among them";
}

TEST(Rehearsal, ALastingFaultStopsEverySeedByItsName) {
  const RehearsalReport report = run(four_nodes(), "config-refused", 10);
  EXPECT_EQ(count(report, RehearsalEnd::stopped), 10u);
  EXPECT_EQ(report.figures.success_rate(), 0.0);
  EXPECT_FALSE(report.figures.p50);
  for (const RehearsedSeed& seed : report.seeds) EXPECT_THAT(seed.findings, Contains("A5"));
}

TEST(Rehearsal, WhoRunsASeedDoesNotMatter) {
  const RehearsalReport one = run(four_nodes(), "all", 30, 1);
  const RehearsalReport three = run(four_nodes(), "all", 30, 3);
  for (std::size_t i = 0; i < one.seeds.size(); ++i) {
    EXPECT_EQ(one.seeds[i].ready_after, three.seeds[i].ready_after);
    EXPECT_EQ(one.seeds[i].verdict, three.seeds[i].verdict);
  }
  EXPECT_EQ(one.weakest, three.weakest);
}

TEST(Rehearsal, TheStepThatAFaultSlowsDownIsTheWeakest) {
  const RehearsalReport slow = run(four_nodes(), "slow-catch-up");
  EXPECT_EQ(slow.steps[slow.weakest.value()].name, "etcd");
  EXPECT_GT(step(slow, "etcd").p95, step(run(four_nodes(), "none"), "etcd").p95 + seconds(30));
}

TEST(Rehearsal, AnOrderThatWaitsForNothingIsProvedByTheSameSeeds) {
  ClusterProfile profile = four_nodes();
  profile.sequential = true;
  const RehearsalReport report = run(profile, "none");
  const SettingTrial* parallel = trial(report, "order.apply");
  ASSERT_TRUE(parallel);
  EXPECT_TRUE(parallel->helps);
  EXPECT_EQ(parallel->tried, "parallel");
  EXPECT_LT(*parallel->figures.p50, *report.figures.p50);
  // And it is what the profile itself gives then.
  profile.sequential = false;
  EXPECT_EQ(*run(profile, "none").figures.p50, *parallel->figures.p50);
  EXPECT_EQ(trial(run(profile, "none"), "order.apply"), nullptr);
}

TEST(Rehearsal, ALimitThatIsTooShortIsNamedAndDoubled) {
  ClusterProfile profile = four_nodes();
  profile.budgets.etcd = seconds(20);
  const RehearsalReport report = run(profile, "none");
  EXPECT_LT(report.figures.at_once, 40u);
  EXPECT_GT(step(report, "etcd").out_of_time, 0u);
  const SettingTrial* longer = trial(report, "budgets.etcd");
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->tried, "40s");
  EXPECT_GT(longer->figures.at_once, report.figures.at_once);
}

TEST(Rehearsal, ALimitThatNoRunCanKeepIsLateAndNotWrong) {
  ClusterProfile profile = four_nodes();
  profile.budgets.apply = seconds(5);
  profile.budgets.bootstrap = seconds(1);
  profile.budgets.etcd = profile.budgets.verify = seconds(1);
  profile.budgets.kubeconfig = std::chrono::milliseconds(1);
  const RehearsalReport report = run(profile, "none", 5);
  EXPECT_EQ(count(report, RehearsalEnd::late), 5u);
  for (const RehearsedSeed& seed : report.seeds) EXPECT_TRUE(seed.ended_in) << seed.verdict;
}

TEST(Rehearsal, WithoutACniTheControlPlaneIsAllThatIsAskedFor) {
  ClusterProfile profile = four_nodes();
  profile.talos.cni_none = true;
  const RehearsalReport report = run(profile, "none", 10);
  EXPECT_EQ(report.figures.success_rate(), 1.0);
}

TEST(Rehearsal, AnEndpointOnOneMachineIsAwayWithIt) {
  ClusterProfile profile = four_nodes();
  const RehearsalReport shared = run(profile, "crash-in-running");
  profile.network.api_endpoint = "https://10.0.0.1:6443";
  const RehearsalReport alone = run(profile, "crash-in-running");
  EXPECT_TRUE(trial(alone, "talos.vip.ip"));
  EXPECT_FALSE(trial(shared, "talos.vip.ip"));
  EXPECT_EQ(*trial(alone, "talos.vip.ip")->figures.p95, *shared.figures.p95);
}

TEST(Rehearsal, MachinesThatMayBeAnywhereAreFound) {
  ClusterProfile known = four_nodes();
  known.nodes[0].maintenance_address = IpAddress("10.0.1.1");
  EXPECT_EQ(run(known, "none", 10).figures.success_rate(), 1.0);
  EXPECT_EQ(run(four_nodes(), "none", 10).figures.success_rate(), 1.0);
}

TEST(RehearsalSettings, ASettingHelpsThatMakesMoreSeedsReadyOrSoonerAndNoneLater) {
  RehearsalFigures before;
  before.seeds = 10;
  before.ends[RehearsalEnd::ready] = 8;
  before.p50 = seconds(100);
  before.p95 = seconds(200);
  RehearsalFigures after = before;
  EXPECT_FALSE(helps(before, after));
  after.p95 = seconds(150);
  EXPECT_TRUE(helps(before, after));
  after.p50 = seconds(120);
  EXPECT_FALSE(helps(before, after)) << "most seeds are later for it";
  after.ends[RehearsalEnd::ready] = 9;
  EXPECT_TRUE(helps(before, after));
  after.ends[RehearsalEnd::wrong] = 1;
  EXPECT_FALSE(helps(before, after));
}

}  // namespace
}  // namespace ichor::sim
