#include "serve/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

#include "serve/test_cluster.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr WallTime kNow{TestCluster::kBegan + 60'000};

std::string text_of(const TestCluster& test) { return metrics_text({test.cluster}, "0.2.0", kNow); }

TEST(Metrics, TellWhatTheLastRunDid) {
  TestCluster test("infra");
  test.start("one");
  test.change("one", "cp1", OutcomeKind::done);
  test.change("one", "w1", OutcomeKind::refused, "no such disk");
  test.settle("one", "cp1");
  test.step("one", "cp1", "apply");
  test.end("one", "1", "w1 failed");
  test.cluster.certificates = {{"talosconfig", 1'800'000'000'000}};
  EXPECT_EQ(text_of(test).substr(0, 124),
            "# HELP ichor_build_info Always 1; the version of ichor is a label.\n"
            "# TYPE ichor_build_info gauge\n"
            "ichor_build_info{version=\"0");
  for (const char* line :
       {"ichor_cluster_readable{cluster=\"infra\"} 1\n",
        "ichor_journal_records{cluster=\"infra\"} 9\n", "ichor_runs_total{cluster=\"infra\"} 1\n",
        "ichor_run_running{cluster=\"infra\"} 0\n",
        "ichor_run_start_timestamp_seconds{cluster=\"infra\"} 1769860800\n",
        "ichor_run_duration_seconds{cluster=\"infra\"} 8\n",
        "ichor_run_exit_code{cluster=\"infra\"} 1\n", "ichor_run_mutations{cluster=\"infra\"} 2\n",
        "ichor_mutations_total{cluster=\"infra\",outcome=\"done\"} 1\n",
        "ichor_mutations_total{cluster=\"infra\",outcome=\"refused\"} 1\n",
        "ichor_mutations_total{cluster=\"infra\",outcome=\"unknown\"} 0\n",
        "ichor_step_duration_seconds{cluster=\"infra\",node=\"cp1\",step=\"apply\",end=\"done\"} "
        "61.25\n",
        "ichor_step_retries{cluster=\"infra\",node=\"cp1\",step=\"apply\"} 3\n",
        "ichor_node_stage{cluster=\"infra\",node=\"cp1\",stage=\"running\"} 1\n",
        "ichor_node_stage{cluster=\"infra\",node=\"w1\",stage=\"planned\"} 1\n",
        "ichor_node_stage{cluster=\"infra\",node=\"w1\",stage=\"running\"} 0\n",
        "ichor_certificate_expiry_timestamp_seconds{cluster=\"infra\",certificate=\"talosconfig\"} "
        "1800000000\n"}) {
    EXPECT_THAT(text_of(test), HasSubstr(line));
  }
}

TEST(Metrics, ARunInProgressHasADurationSoFarAndNoExitCode) {
  TestCluster test("infra");
  test.start("one");
  test.cluster.held = true;
  EXPECT_THAT(text_of(test), HasSubstr("ichor_run_running{cluster=\"infra\"} 1\n"));
  EXPECT_THAT(text_of(test), HasSubstr("ichor_run_duration_seconds{cluster=\"infra\"} 60\n"));
  EXPECT_THAT(text_of(test), Not(HasSubstr("ichor_run_exit_code")));
  test.cluster.held = false;
  EXPECT_THAT(text_of(test), HasSubstr("ichor_run_running{cluster=\"infra\"} 0\n"));
  EXPECT_THAT(text_of(test), HasSubstr("ichor_run_duration_seconds{cluster=\"infra\"} 1\n"));
}

TEST(Metrics, TheExitCodeIsThatOfTheLastRunThatEnded) {
  TestCluster test("infra");
  test.start("one");
  test.end("one", "4", "out of time");
  test.start("two");
  test.cluster.held = true;
  EXPECT_THAT(text_of(test), HasSubstr("ichor_run_exit_code{cluster=\"infra\"} 4\n"));
}

TEST(Metrics, AClusterThatCannotBeReadIsSaid) {
  TestCluster test("infra");
  test.cluster.readable = false;
  EXPECT_THAT(text_of(test), HasSubstr("ichor_cluster_readable{cluster=\"infra\"} 0\n"));
}

/// Every line is one that the text format knows, a metric's lines stand together after its HELP and
/// TYPE, and no sample is there twice.
void expect_exposition(const std::string& text) {
  static const std::regex sample(
      R"(([a-z_]+)(\{[a-z]+="(\\.|[^"\\\n])*"(,[a-z]+="(\\.|[^"\\\n])*")*\})? -?[0-9.e+]+)");
  std::set<std::string> metrics, samples;
  std::string current;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP ")) {
      current = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(metrics.insert(current).second) << current;
      continue;
    }
    if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(line == "# TYPE " + current + " gauge" ||
                  line == "# TYPE " + current + " counter")
          << line;
      continue;
    }
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, sample)) << line;
    EXPECT_EQ(parts[1], current);
    EXPECT_TRUE(samples.insert(line.substr(0, line.rfind(' '))).second) << line;
  }
}

TEST(Metrics, NoNameCanBreakTheFormat) {
  TestCluster test("in\"f\\ra\n# TYPE x");
  test.cluster.nodes = {"cp1\"} 1\nfoo 2", "\x1b[31mw1"};
  test.start("one");
  test.step("one", "cp1", "apply \"x\"\\");
  test.step("one", "cp1", "apply \"x\"\\");
  test.change("one", "cp1", OutcomeKind::done);
  test.end("one", "0", "ready");
  test.cluster.certificates = {{"a\nb", 0}};
  expect_exposition(text_of(test));
  EXPECT_THAT(text_of(test), HasSubstr("cluster=\"in\\\"f\\\\ra # TYPE x\""));
}

}  // namespace
}  // namespace ichor
