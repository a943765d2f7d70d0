#include "sim/process.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>

#include "doctor/name_fault.h"
#include "sim/campaign.h"
#include "sim/checkers/checker.h"
#include "sim/cluster_fixture.h"
#include "sim/world.h"

namespace ichor::sim {
namespace {

std::set<std::string> ids_of(RunResult result) {
  name_fault(result);
  std::set<std::string> ids;
  for (const Finding& finding : result.findings) ids.insert(finding.id);
  return ids;
}

/// Replaces every sentence of a run that ended badly, and names its fault again.
class Rewording final : public Checker {
 public:
  struct Seen {
    std::set<std::string> ids;
    std::set<std::string> changed;  // verdicts whose ids depended on their words
  };

  Rewording(const Truth& truth, Seen& seen) : Checker(truth), seen_(seen) {}
  std::string_view id() const override { return "wording"; }
  std::string_view promise() const override { return "no id depends on a sentence of ichor"; }

  void on_process_ended(int, const RunResult& result) override {
    if (result.exit == Exit::done) return;
    RunResult reworded = result;
    reworded.verdict = "it ended otherwise";
    for (Finding& finding : reworded.findings) finding.what = finding.fix = "something else";
    const std::set<std::string> ids = ids_of(result);
    if (ids_of(std::move(reworded)) != ids) seen_.changed.insert(result.verdict);
    seen_.ids.insert(ids.begin(), ids.end());
  }

 private:
  Seen& seen_;
};

TEST(Wording, NoIdOfABadEndDependsOnASentenceOfIchor) {
  const FaultChoice all = *parse_faults("all");
  Rewording::Seen seen;
  for (const Line line : {Line::talos, Line::whole}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const SeedPlan plan = draw_plan(seed, {}, all, line);
      ClusterFixture fixture = make_fixture(plan);
      SimWorld world(plan, fixture);
      world.add(std::make_unique<Rewording>(world.truth(), seen));
      EXPECT_EQ(world.run().violation, "") << "seed " << seed;
    }
  }
  EXPECT_EQ(seen.changed, std::set<std::string>());
  EXPECT_GT(seen.ids.size(), 15u);
}

}  // namespace
}  // namespace ichor::sim
