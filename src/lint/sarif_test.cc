#include "lint/sarif.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ichor {
namespace {

TEST(Sarif, PointsIntoTheFile) {
  const std::vector<Finding> findings = {
      {Severity::error, "network.cidr", {}, "talos/ichor.yaml:5:14", "what", "how"},
      {Severity::warning, "profile.value", {}, "ichor.yaml", "w", "f"}};
  const auto log = nlohmann::json::parse(to_sarif(findings, "0.1.0"));
  EXPECT_EQ(log["version"], "2.1.0");
  const auto& run = log["runs"][0];
  const auto& place = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "talos/ichor.yaml");
  EXPECT_EQ(place["region"]["startLine"], 5);
  EXPECT_EQ(place["region"]["startColumn"], 14);
  EXPECT_EQ(run["results"][1]["level"], "warning");
  EXPECT_EQ(run["results"][1]["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["helpUri"], "docs/lint/C1.md");
}

}  // namespace
}  // namespace ichor
