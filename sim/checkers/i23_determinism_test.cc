#include "sim/checkers/i23_determinism.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/campaign.h"

namespace ichor::sim {
namespace {

SeedReport run(std::uint64_t seed) {
  const SeedPlan plan = draw_plan(seed, {3, 1}, *parse_faults("all"));
  ClusterFixture fixture = make_fixture(plan);
  return SimWorld(plan, fixture).run();
}

TEST(Determinism, HoldsForTwoRunsOfASeed) { EXPECT_EQ(determinism_broken(run(5), run(5)), ""); }

TEST(Determinism, IsBrokenByAHistoryThatDiffers) {
  SeedReport other = run(6);
  other.seed = 5;
  EXPECT_THAT(determinism_broken(run(5), other),
              testing::HasSubstr("I23: two runs of seed 5 differ: trace"));
}

TEST(Determinism, IsBrokenByWhatTheTraceDoesNotShow) {
  SeedReport other = run(5);
  ++other.events;
  EXPECT_THAT(determinism_broken(run(5), other), testing::HasSubstr("have one trace and differ"));
}

}  // namespace
}  // namespace ichor::sim
