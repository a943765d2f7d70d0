#include "phase/sequence.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "model/kubernetes_plan.h"
#include "phase/kubernetes/kubernetes_phase.h"

namespace ichor {
namespace {

std::size_t position(const std::vector<Step>& steps, std::string_view phase, Who who) {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
    return step.phase->name() == phase && step.who == who;
  });
  EXPECT_NE(found, steps.end()) << phase;
  return static_cast<std::size_t>(found - steps.begin());
}

TEST(Sequence, EveryMilestoneThatIsNeededIsReachedByAnEarlierStep) {
  for (const WorkerOrder order : {WorkerOrder::after_api, WorkerOrder::with_control_planes}) {
    ClusterProfile profile;
    profile.worker_order = order;
    const std::vector<Step> steps = bring_up(profile);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].needs == Milestone::none) continue;
      const bool reached = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
        return step.reaches == steps[i].needs;
      });
      EXPECT_TRUE(reached) << name_of(steps[i].needs) << " would be waited for in vain";
    }
  }
}

TEST(Sequence, MachinesAreKnownBeforeAnythingIsChanged) {
  const std::vector<Step> steps = bring_up(ClusterProfile{});
  const std::size_t discover = position(steps, "discover", Who::every_node);
  EXPECT_LT(discover, position(steps, "apply", Who::control_planes));
  EXPECT_LT(discover, position(steps, "apply", Who::workers));
}

TEST(Sequence, WorkersInstallBesideTheControlPlanesUnlessTheProfileSaysOtherwise) {
  ClusterProfile profile;
  std::vector<Step> steps = bring_up(profile);
  EXPECT_EQ(steps[position(steps, "apply", Who::workers)].needs, Milestone::none);
  profile.worker_order = WorkerOrder::after_api;
  steps = bring_up(profile);
  EXPECT_EQ(steps[position(steps, "apply", Who::workers)].needs, Milestone::api_answers);
}

TEST(Sequence, SuccessIsSaidLast) {
  const std::vector<Step> steps = bring_up(ClusterProfile{});
  EXPECT_EQ(steps.back().phase->name(), "ready");
}

TEST(Sequence, GoesOnToTheHandoverWhereTheProfileHasPhases) {
  ClusterProfile profile;
  auto plan = std::make_shared<KubernetesPlan>();
  plan->phases = true;
  profile.kubernetes = plan;
  const std::vector<Step> steps = in_execution_order(bring_up(profile));
  std::vector<std::string_view> last;
  for (const KubernetesPhase* phase : kubernetes_phases(steps)) last.push_back(phase->name());
  EXPECT_EQ(last, (std::vector<std::string_view>{"secrets", "crds", "core", "validation"}));
  EXPECT_EQ(steps[steps.size() - 5].phase->name(), "ready");
  EXPECT_EQ(kubernetes_phases(kubernetes_steps(2, 2)).at(0)->number(), 2);
}

TEST(Sequence, IsCarriedOutInTheOrderOfItsMilestones) {
  ClusterProfile profile;
  profile.worker_order = WorkerOrder::after_api;
  const std::vector<Step> steps = in_execution_order(bring_up(profile));
  EXPECT_EQ(steps.size(), bring_up(profile).size());
  EXPECT_LT(position(steps, "apply", Who::control_planes),
            position(steps, "bootstrap", Who::cluster));
  EXPECT_LT(position(steps, "kubeconfig", Who::cluster), position(steps, "apply", Who::workers));
  EXPECT_LT(position(steps, "apply", Who::workers), position(steps, "verify", Who::workers));
  EXPECT_EQ(steps.back().phase->name(), "ready");
}

TEST(Sequence, APartOfItReachesNothingThatWasLeftOut) {
  for (const Step& step : only(bring_up(ClusterProfile{}), {"preflight", "discover", "apply"})) {
    const bool told = step.reaches != Milestone::none && !step.stands_in;
    EXPECT_TRUE(!told || step.reaches == Milestone::control_planes_configured);
  }
}

TEST(Sequence, APartOfItKeepsTheOrder) {
  const std::vector<Step> steps =
      only(bring_up(ClusterProfile{}), {"discover", "bootstrap", "etcd"});
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].reaches, steps[1].needs) << "bootstrap waits until the machines are known";
  EXPECT_EQ(steps[1].reaches, steps[2].needs);
  EXPECT_NE(steps[1].needs, Milestone::none);
}

TEST(Sequence, APartOfItWaitsForNothingThatNoStepReaches) {
  for (const std::string_view phase : {"preflight", "kubeconfig", "verify", "ready"}) {
    const std::vector<Step> steps = only(bring_up(ClusterProfile{}), {phase});
    ASSERT_FALSE(steps.empty()) << phase;
    for (const Step& step : steps) {
      EXPECT_EQ(step.phase->name(), phase);
      EXPECT_TRUE(step.needs == Milestone::none) << phase;
    }
  }
}

TEST(Sequence, WorkersComeAfterControlPlanesWhereverPlacesAreFew) {
  for (const bool sequential : {false, true}) {
    ClusterProfile profile;
    profile.worker_order = WorkerOrder::with_control_planes;
    profile.nodes.resize(3);
    profile.sequential = sequential;
    profile.concurrency = 2;
    const std::vector<Step> steps = bring_up(profile);
    EXPECT_EQ(steps[position(steps, "apply", Who::workers)].needs,
              Milestone::control_planes_configured);
  }
  ClusterProfile after_api;
  after_api.worker_order = WorkerOrder::after_api;
  const std::vector<Step> steps = only(bring_up(after_api), {"apply"});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].needs, Milestone::none);
  EXPECT_EQ(steps[1].needs, Milestone::control_planes_configured);
}

}  // namespace
}  // namespace ichor
