#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "command/commands.h"
#include "command/fake_desk.h"
#include "command/profile_input.h"
#include "lint/rules.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;

/// Puts all files below a folder of the repository on the desk.
void lay_out(const std::string& folder, FakeDesk& desk) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    desk.inputs[entry.path().string()] = {std::istreambuf_iterator<char>(file), {}};
  }
}

std::vector<Finding> findings_of(const std::string& profile, FakeDesk& desk) {
  CommonOptions common;
  common.profile = profile;
  auto findings = lint_profile_input(common, desk);
  EXPECT_TRUE(findings.has_value()) << profile;
  return findings.value_or(std::vector<Finding>());
}

TEST(BrokenExamples, ShowEachRuleExactlyOnce) {
  FakeDesk desk;
  lay_out("examples/broken", desk);
  std::map<std::string, int> shown;
  for (const auto& entry : std::filesystem::directory_iterator("examples/broken")) {
    for (const Finding& finding : findings_of(entry.path().string() + "/ichor.yaml", desk)) {
      const LintRule* rule = rule_of(finding.id);
      ASSERT_NE(rule, nullptr) << finding.id << " " << finding.where << " " << finding.what;
      ++shown[std::string(rule->id)];
      EXPECT_THAT(finding.where, HasSubstr(entry.path().string()));
      EXPECT_EQ(finding.page, rule->page());
      EXPECT_FALSE(finding.why.empty());
      EXPECT_FALSE(finding.fix.empty());
    }
  }
  for (const LintRule& rule : lint_rules()) EXPECT_EQ(shown[std::string(rule.id)], 1) << rule.id;
  EXPECT_EQ(shown.size(), lint_rules().size());
}

TEST(BrokenExamples, AreShownByOneCommandSortedByFile) {
  FakeDesk desk;
  lay_out("examples/broken", desk);
  LintRequest request;
  for (const auto& entry : std::filesystem::directory_iterator("examples/broken")) {
    request.profiles.push_back(entry.path().string());
  }
  EXPECT_EQ(run(request, CommonOptions(), desk), Exit::findings);
  const std::vector<Finding>& findings = desk.display().summary().result.findings;
  EXPECT_EQ(findings.size(), lint_rules().size());
  for (std::size_t i = 1; i < findings.size(); ++i) {
    EXPECT_LT(findings[i - 1].where, findings[i].where);
  }
}

TEST(TemplateExample, HasNoFindings) {
  FakeDesk desk;
  lay_out("examples/templates", desk);
  for (const Finding& finding : findings_of("examples/templates/ichor.yaml", desk)) {
    ADD_FAILURE() << finding.where << " " << finding.what;
  }
}

/// The story of a patch that was empty because its condition named a variable that nobody had.
TEST(EmptyPatches, AreExplainedByTheConditionThatWasFalse) {
  FakeDesk desk;
  lay_out("examples/broken/c9-patches", desk);
  const auto findings = findings_of("examples/broken/c9-patches/ichor.yaml", desk);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "patch.empty");
  EXPECT_EQ(findings[0].severity, Severity::error);
  EXPECT_THAT(findings[0].where, HasSubstr("machine-logging.yaml.j2:1:"));
  EXPECT_THAT(findings[0].what, HasSubstr("`if talos_system_logs_enabled | default(false)`"));
  EXPECT_THAT(findings[0].what, HasSubstr("nobody has set talos_system_logs_enabled"));
}

TEST(EmptyPatches, ThatSomebodySwitchedOffAreNoErrors) {
  FakeDesk desk;
  lay_out("examples/broken/c9-patches", desk);
  const std::string profile = "examples/broken/c9-patches/ichor.yaml";
  desk.inputs[profile] += "  talos_system_logs_enabled: false\n";
  const auto findings = findings_of(profile, desk);
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings) EXPECT_EQ(finding.severity, Severity::warning);
}

TEST(PatchTemplates, WithAnUndefinedVariableAreRefusedWithTheNearestName) {
  FakeDesk desk;
  lay_out("examples/broken/c9-patches", desk);
  desk.inputs["examples/broken/c9-patches/patches/machine-logging.yaml.j2"] =
      "machine:\n  kubelet:\n    nodeIP: {validSubnets: ['#{ node_cdir }#']}\n";
  const auto findings = findings_of("examples/broken/c9-patches/ichor.yaml", desk);
  ASSERT_EQ(findings.size(), 1u);
  const Finding& finding = findings[0];
  EXPECT_EQ(finding.id, "patch.template");
  EXPECT_THAT(finding.where, HasSubstr("machine-logging.yaml.j2:3:"));
  EXPECT_THAT(finding.what + finding.fix, HasSubstr("node_cidr"));
}

}  // namespace
}  // namespace ichor
