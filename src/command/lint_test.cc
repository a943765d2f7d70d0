#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "cluster/profile_input.h"
#include "command/commands.h"
#include "lint/rules.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;

/// Puts all files below a folder of the repository on the host.
void lay_out(const std::string& folder, FakeHost& host) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    host.inputs[entry.path().string()] = {std::istreambuf_iterator<char>(file), {}};
  }
}

std::vector<Finding> findings_of(const std::string& profile, FakeHost& host) {
  CommonOptions common;
  common.profile = profile;
  auto findings = lint_profile_input(common, host);
  EXPECT_TRUE(findings.has_value()) << profile;
  return findings.value_or(std::vector<Finding>());
}

TEST(BrokenExamples, ShowEachRuleExactlyOnce) {
  FakeHost host;
  lay_out("examples/broken", host);
  std::map<std::string, int> shown;
  for (const auto& entry : std::filesystem::directory_iterator("examples/broken")) {
    for (const Finding& finding : findings_of(entry.path().string() + "/ichor.yaml", host)) {
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

/// The profile with its Talos raised to 1.14.
void raise(const std::string& profile, FakeHost& host) {
  std::string& text = host.inputs[profile];
  for (const auto& [old_version, version] :
       {std::pair("v1.12.6", "v1.14.1"), {"v1.35.2", "v1.36.3"}}) {
    const std::size_t at = text.find(old_version);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::string(old_version).size(), version);
  }
}

/// Everything that is found is a warning that a patch is converted, and there is one at least.
void expect_converted(const std::string& profile, FakeHost& host) {
  int converted = 0;
  for (const Finding& finding : findings_of(profile, host)) {
    EXPECT_EQ(finding.severity, Severity::warning) << finding.where << " " << finding.what;
    if (finding.id == "patch.old-form") ++converted;
  }
  EXPECT_GT(converted, 0);
}

TEST(OldForm, PatchesOfTheTemplatesAreConvertedForTalos114) {
  FakeHost host;
  lay_out("examples/templates", host);
  raise("examples/templates/ichor.yaml", host);
  expect_converted("examples/templates/ichor.yaml", host);
}

TEST(OldForm, PatchesOfTopfAreConvertedForTalos114) {
  FakeHost host;
  host.inputs["topf.yaml"] =
      "clusterName: infra\nclusterEndpoint: https://192.168.22.101:6443\n"
      "kubernetesVersion: v1.36.3\ntalosVersion: v1.14.1\npatchesDir: patches\n"
      "nodes:\n  - {host: cp1, ip: 192.168.22.101, role: control-plane}\n"
      "  - {host: w1, ip: 192.168.22.111, role: worker}\n";
  host.inputs["patches/all/all.yaml"] =
      "machine: {install: {disk: /dev/sda}, kubelet: {extraArgs: {v: '4'}}}\n"
      "cluster: {proxy: {disabled: true}}\n";
  expect_converted("topf.yaml", host);
}

TEST(BrokenExamples, AreShownByOneCommandSortedByFile) {
  FakeHost host;
  lay_out("examples/broken", host);
  LintRequest request;
  for (const auto& entry : std::filesystem::directory_iterator("examples/broken")) {
    request.profiles.push_back(entry.path().string());
  }
  EXPECT_EQ(run(request, CommonOptions(), host), Exit::findings);
  const std::vector<Finding>& findings = host.display().summary().result.findings;
  EXPECT_EQ(findings.size(), lint_rules().size());
  for (std::size_t i = 1; i < findings.size(); ++i) {
    EXPECT_LT(findings[i - 1].where, findings[i].where);
  }
}

TEST(TemplateExample, HasNoFindings) {
  FakeHost host;
  lay_out("examples/templates", host);
  for (const Finding& finding : findings_of("examples/templates/ichor.yaml", host)) {
    ADD_FAILURE() << finding.where << " " << finding.what;
  }
}

/// The story of a patch that was empty because its condition named a variable that is not set.
TEST(EmptyPatches, AreExplainedByTheConditionThatWasFalse) {
  FakeHost host;
  lay_out("examples/broken/c9-patches", host);
  const auto findings = findings_of("examples/broken/c9-patches/ichor.yaml", host);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "patch.empty");
  EXPECT_EQ(findings[0].severity, Severity::error);
  EXPECT_THAT(findings[0].where, HasSubstr("machine-logging.yaml.j2:1:"));
  EXPECT_THAT(findings[0].what, HasSubstr("`if talos_system_logs_enabled | default(false)`"));
  EXPECT_THAT(findings[0].what, HasSubstr("talos_system_logs_enabled is not set"));
}

TEST(EmptyPatches, ThatTheUserSwitchedOffAreNoErrors) {
  FakeHost host;
  lay_out("examples/broken/c9-patches", host);
  const std::string profile = "examples/broken/c9-patches/ichor.yaml";
  host.inputs[profile] += "  talos_system_logs_enabled: false\n";
  const auto findings = findings_of(profile, host);
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings) EXPECT_EQ(finding.severity, Severity::warning);
}

TEST(PatchTemplates, WithAnUndefinedVariableAreRefusedWithTheNearestName) {
  FakeHost host;
  lay_out("examples/broken/c9-patches", host);
  host.inputs["examples/broken/c9-patches/patches/machine-logging.yaml.j2"] =
      "machine:\n  kubelet:\n    nodeIP: {validSubnets: ['#{ node_cdir }#']}\n";
  const auto findings = findings_of("examples/broken/c9-patches/ichor.yaml", host);
  ASSERT_EQ(findings.size(), 1u);
  const Finding& finding = findings[0];
  EXPECT_EQ(finding.id, "patch.template");
  EXPECT_THAT(finding.where, HasSubstr("machine-logging.yaml.j2:3:"));
  EXPECT_THAT(finding.what + finding.fix, HasSubstr("node_cidr"));
}

/// The reference profile with a change, and the ids of what lint says about it.
class ChangedReference : public ::testing::Test {
 protected:
  ChangedReference() { lay_out("examples/reference", host_); }

  void change(const std::string& before, const std::string& after) {
    std::string& text = host_.inputs["examples/reference/ichor.yaml"];
    const std::size_t at = text.find(before);
    ASSERT_NE(at, std::string::npos) << before;
    text.replace(at, before.size(), after);
  }
  const std::vector<Finding>& findings() {
    found_ = findings_of("examples/reference/ichor.yaml", host_);
    return found_;
  }
  std::string ids() {
    std::string ids;
    for (const Finding& finding : findings()) ids += finding.id + " ";
    return ids;
  }

  FakeHost host_;
  std::vector<Finding> found_;
};

TEST_F(ChangedReference, AStructuralErrorHidesNothingElse) {
  change("gateway: 192.168.23.254", "gatewai: 192.168.23.254");
  change("ip: 192.168.22.102, mac: \"52:54:00:16:01:02\"",
         "ip: 192.168.22.101, mac: \"52:54:00:16:01:02\"");
  EXPECT_EQ(ids(), "profile.unknown-key network.duplicate ");
}

TEST_F(ChangedReference, AnUnknownTalosIsFound) {
  change("version: v1.12.6", "version: v1.99.0");
  EXPECT_THAT(ids(), HasSubstr("versions.talos"));
}

TEST_F(ChangedReference, ValuesOfInitAreFound) {
  change("name: reference", "name: mycluster");
  EXPECT_EQ(ids(), "network.placeholder ");
  EXPECT_THAT(found_[0].what, HasSubstr("52:54:00:16:01:01"));
}

TEST_F(ChangedReference, WhatTheNodesWouldRefuseIsFoundBeforeItIsSent) {
  change("  # patches_dir: patches", "  patches_dir: patches");
  host_.inputs["examples/reference/patches/name.yaml"] =
      "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\nhostname: all-the-same\n";
  EXPECT_THAT(ids(), HasSubstr("config.duplicate"));
}

TEST_F(ChangedReference, CrdsAndControllersOfDifferentVersionsAreFound) {
  host_.inputs["examples/reference/ichor.yaml"] +=
      "phases:\n"
      "  crds: {charts: [{chart: oci://r/cert-manager, version: v1.19.1}]}\n"
      "  core: {releases: [{name: cert-manager, chart: oci://r/cert-manager, version: 1.18.0, "
      "namespace: cert-manager}]}\n";
  EXPECT_THAT(ids(), HasSubstr("versions.crds"));
  for (const Finding& finding : found_) {
    if (finding.id != "versions.crds") continue;
    EXPECT_THAT(finding.what, HasSubstr("v1.19.1"));
  }
}

TEST(LintTexts, HideThePasswordOfALoggingDestination) {
  FakeHost host;
  lay_out("examples/broken/c5-logging", host);
  host.inputs["examples/broken/c5-logging/patches/machine-logging.yaml"] =
      "machine:\n  logging:\n    destinations:\n"
      "      - {endpoint: 'http://loki:canary@10.0.0.5:6051', format: json_lines}\n";
  LintRequest request;
  request.profiles = {"examples/broken/c5-logging/ichor.yaml"};
  EXPECT_EQ(run(request, CommonOptions(), host), Exit::findings);
  const std::vector<Finding>& findings = host.display().summary().result.findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_THAT(findings[0].what, HasSubstr("http://***@10.0.0.5:6051"));
  EXPECT_THAT(findings[0].what, ::testing::Not(HasSubstr("canary")));
  EXPECT_THAT(findings[0].what, HasSubstr("\n    4 |"));
  EXPECT_THAT(findings[0].what, HasSubstr("^"));
}

}  // namespace
}  // namespace ichor
