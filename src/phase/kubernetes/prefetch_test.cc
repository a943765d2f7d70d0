#include "phase/kubernetes/prefetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/kubernetes/test_kit.h"
#include "phase/kubernetes/test_programs.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One chart in a registry, one in a folder, and a helmfile.
class PrefetchTest : public ::testing::Test {
 protected:
  PrefetchTest() {
    WantedRelease release;
    release.name = "cilium";
    release.name_space = "kube-system";
    release.chart = "oci://registry/charts/cilium";
    release.version = "1.18.4";
    material_.releases.push_back(release);
    KubernetesPlan::Chart chart;
    chart.chart = "/tree/charts/crds";
    material_.plan.crds.charts.push_back(chart);
    material_.plan.core.helmfile = "/tree/helmfile.yaml";
  }

  Prefetch run() {
    Prefetch ahead;
    bench_.run(go(ahead));
    return ahead;
  }
  Task<bool> go(Prefetch& ahead) {
    const ToolPlace place{programs_, "/state", material_};
    co_await prefetch_charts(bench_.context(), place, "1.35.4", bench_.events, ahead);
    co_return true;
  }

  KubeBench bench_;
  PlayedPrograms programs_{bench_.cluster};
  KubernetesMaterial material_;
};

TEST_F(PrefetchTest, FetchesWhatIsFarAwayAndRendersAllOfIt) {
  const Prefetch ahead = run();
  EXPECT_TRUE(ahead.findings.empty());
  EXPECT_EQ(ahead.rendered, 3);
  ASSERT_EQ(ahead.charts.size(), 1u);
  EXPECT_EQ(ahead.charts.begin()->second, "/state/cilium-1.18.4.tgz");
  EXPECT_THAT(programs_.calls, ElementsAre("/bin/helm template", "/bin/helm pull",
                                           "/bin/helm template", "/bin/helmfile --helm-binary"));
  EXPECT_THAT(bench_.events.events.back().text, HasSubstr("1 fetched, 3 rendered"));
}

TEST_F(PrefetchTest, WarnsOfARegistryThatIsAwayAndGoesOn) {
  programs_.unreachable = true;
  const Prefetch ahead = run();
  EXPECT_TRUE(ahead.charts.empty());
  EXPECT_EQ(ahead.rendered, 3);
  ASSERT_EQ(ahead.findings.size(), 1u);
  EXPECT_EQ(ahead.findings[0].severity, Severity::warning);
  EXPECT_THAT(ahead.findings[0].what, HasSubstr("cilium: helm pull ended with 1"));
}

TEST_F(PrefetchTest, StopsWhenItIsCalledOff) {
  bench_.scope.cancel();
  const Prefetch ahead = run();
  EXPECT_LE(programs_.calls.size(), 1u);
  EXPECT_TRUE(ahead.findings.empty());
}

TEST(FetchedName, IsTheOneThatHelmGivesTheFile) {
  EXPECT_EQ(fetched_name({"oci://registry/charts/cilium", "1.18.4", false}), "cilium-1.18.4.tgz");
  EXPECT_EQ(fetched_name({"oci://registry/charts/cilium", "", false}), "");
  EXPECT_EQ(fetched_name({"oci://registry/charts/cilium", "1.18.4+x", false}), "");
  EXPECT_EQ(fetched_name({"oci://registry/charts/cilium", "^1.18", false}), "");
  EXPECT_EQ(fetched_name({"charts/cilium", "1.18.4", false}), "");
}

TEST(ChartWordsOf, NameTheFileOfAChartThatWasFetched) {
  const ChartSource source{"oci://registry/charts/cilium", "1.18.4", true};
  const ChartWords far = chart_words({}, source);
  EXPECT_EQ(far.chart, source.chart);
  EXPECT_THAT(far.flags, ElementsAre("--version", "1.18.4", "--plain-http"));
  const ChartWords near = chart_words({{source, "/state/charts/x.tgz"}}, source);
  EXPECT_EQ(near.chart, "/state/charts/x.tgz");
  EXPECT_TRUE(near.flags.empty());
}

}  // namespace
}  // namespace ichor
