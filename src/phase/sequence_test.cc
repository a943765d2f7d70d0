#include "phase/sequence.h"

#include <algorithm>
#include <gtest/gtest.h>

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

TEST(Sequence, WorkersWaitForTheApiUnlessTheProfileSaysOtherwise) {
  ClusterProfile profile;
  std::vector<Step> steps = bring_up(profile);
  EXPECT_EQ(steps[position(steps, "apply", Who::workers)].needs, Milestone::api_answers);
  profile.worker_order = WorkerOrder::with_control_planes;
  steps = bring_up(profile);
  EXPECT_EQ(steps[position(steps, "apply", Who::workers)].needs, Milestone::none);
}

TEST(Sequence, SuccessIsSaidLast) {
  const std::vector<Step> steps = bring_up(ClusterProfile{});
  EXPECT_EQ(steps.back().phase->name(), "ready");
}

}  // namespace
}  // namespace ichor
