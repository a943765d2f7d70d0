#include "sim/crash_sweep.h"

#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace ichor::sim {
namespace {

CampaignOptions small_cluster() {
  CampaignOptions options;
  options.shape = *parse_shape("1+1");
  return options;
}

TEST(CrashPoints, AreNamedOnceEach) {
  std::set<std::string> names;
  for (const CrashPoint& point : crash_points()) {
    EXPECT_TRUE(names.insert(to_text(point)).second) << to_text(point);
  }
  EXPECT_GE(names.size(), 50u);
}

TEST(CrashSweep, KilledOnceAtEveryPassageOfEveryPointTheClusterStillComesUp) {
  const CampaignOptions options = small_cluster();
  const SweepReport report = sweep_crashes(options, Sweep::singles);
  EXPECT_EQ(report.violation, "") << report.failed_at;
  EXPECT_EQ(report.ready, report.runs);
  EXPECT_EQ(report.killed_as_told, report.runs);
  std::ostringstream out;
  EXPECT_EQ(print_sweep(options, Sweep::singles, report, out), 0) << out.str();
}

TEST(CrashSweep, KilledTwiceTheClusterStillComesUp) {
  const SweepReport report = sweep_crashes(small_cluster(), Sweep::pairs);
  EXPECT_EQ(report.violation, "") << report.failed_at;
  EXPECT_EQ(report.ready, report.runs);
  EXPECT_EQ(report.runs, crash_points().size() * crash_points().size());
  EXPECT_GT(report.killed_as_told, report.runs / 2);
}

TEST(CrashSweep, APointThatIsNeverPassedFailsTheReport) {
  SweepReport report;
  report.passages["before-call Bootstrap"] = 1;
  std::ostringstream out;
  EXPECT_EQ(print_sweep({}, Sweep::singles, report, out), 1);
  EXPECT_NE(out.str().find("crash point after-call Bootstrap is never passed"), std::string::npos);
}

}  // namespace
}  // namespace ichor::sim
