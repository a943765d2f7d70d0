#include "sim/scenario.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "doctor/fault.h"
#include "sim/faults/fault.h"

namespace ichor::sim {
namespace {

/// All scenarios of the repository, by path.
std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios")) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string content_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Scenarios, AllEndAsTheySay) {
  for (const std::string& file : scenario_files()) {
    const auto scenario = read_scenario(content_of(file), file);
    ASSERT_TRUE(scenario) << scenario.error().message;
    EXPECT_EQ(run_scenario(*scenario).trouble, "") << file;
  }
}

/// Rows of the families that a simulated world can show; Kubernetes and providers are elsewhere.
TEST(Scenarios, NameAtLeast75RowsOfTheCatalogue) {
  std::set<std::string> rows;
  for (const std::string& file : scenario_files()) {
    const auto scenario = read_scenario(content_of(file), file);
    ASSERT_TRUE(scenario) << scenario.error().message;
    for (const std::string& row : scenario->faults) {
      EXPECT_NE(find_fault(row), nullptr) << file << " names " << row;
      if (std::string_view("NTDEALCO").find(row.front()) != std::string_view::npos) {
        rows.insert(row);
      }
    }
    EXPECT_FALSE(scenario->faults.empty()) << file;
  }
  EXPECT_GE(rows.size(), 75u);
}

TEST(Scenarios, EveryFaultOfTheCampaignsIsOfARowThatAScenarioNames) {
  std::set<std::string> rows;
  for (const std::string& file : scenario_files()) {
    const auto scenario = read_scenario(content_of(file), file);
    ASSERT_TRUE(scenario) << scenario.error().message;
    rows.insert(scenario->faults.begin(), scenario->faults.end());
  }
  for (const FaultClass& fault : fault_catalogue()) {
    EXPECT_TRUE(rows.contains(std::string(fault.row))) << fault.name << " is of " << fault.row;
  }
}

TEST(Scenarios, TheTenOfTheIndexAreThere) {
  for (const char* name :
       {"node-unreachable-during-apply", "tls-after-regenerated-secrets", "disk-selector-no-match",
        "node-stuck-in-installing", "bootstrap-reply-lost", "bootstrap-called-twice",
        "etcd-learner-stuck", "etcd-quorum-lost", "node-reboots-after-bootstrap",
        "ichor-killed-in-the-middle"}) {
    const std::string file = std::string("scenarios/") + name + ".yaml";
    const auto scenario = read_scenario(content_of(file), file);
    ASSERT_TRUE(scenario) << name << ": " << scenario.error().message;
    EXPECT_EQ(scenario->name, name);
  }
}

Scenario story(const std::string& text) {
  auto scenario = read_scenario(text, "story.yaml");
  EXPECT_TRUE(scenario) << scenario.error().message;
  return scenario ? *scenario : Scenario();
}

TEST(Scenarios, AnExpectationThatIsNotMetIsReportedAsSuch) {
  const Scenario ready = story(
      "about: x\nshape: 1+0\ncalls: [{call: ApplyConfiguration, does: answer, code: "
      "InvalidArgument, text: no}]\nexpect: {end: verdict, verdicts: [E4]}\n");
  EXPECT_NE(run_scenario(ready).trouble, "");
  const Scenario nothing = story(
      "about: x\nshape: 1+0\ncalls: [{call: Bootstrap, node: cp7, does: refuse}]\n"
      "expect: {end: ready}\n");
  EXPECT_EQ(run_scenario(nothing).trouble, "nothing of what it is about happened");
}

TEST(Scenarios, BadOnesAreExplainedWithTheirPlace) {
  const auto scenario = read_scenario(
      "about: x\nevents: [{do: explode}]\nexpect: {end: verdict}\nfoo: 1\n", "bad.yaml");
  ASSERT_FALSE(scenario);
  EXPECT_NE(scenario.error().message.find("bad.yaml:2"), std::string::npos)
      << scenario.error().message;
  EXPECT_NE(scenario.error().message.find("foo"), std::string::npos);
}

}  // namespace
}  // namespace ichor::sim
