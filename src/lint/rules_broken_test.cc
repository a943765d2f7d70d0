#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "lint/read_patch.h"
#include "lint/rules.h"
#include "profile/read_profile.h"

namespace ichor {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> files_below(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(folder).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Finding> lint_file(const std::string& path) {
  ProfileReading reading = read_profile(read_file(path), path);
  std::vector<Finding> findings = reading.findings;
  if (!reading.ok()) return findings;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  std::vector<std::string> files;
  if (!reading.profile.talos.patches_dir.empty()) {
    files = files_below(folder + reading.profile.talos.patches_dir);
  }
  LintInput input{reading.profile, reading.source};
  input.material.variables = reading.variables;
  for (PatchFile& patch : list_patches(reading.profile, files, reading.source, findings)) {
    patch.path = folder + patch.path;
    input.material.patches.push_back(read_lint_patch(patch, read_file(patch.path), findings));
  }
  if (!reading.profile.talos.schematic_file.empty()) {
    input.material.schematic_file = folder + reading.profile.talos.schematic_file;
    const auto schematic =
        yaml::parse_single(read_file(input.material.schematic_file), input.material.schematic_file);
    EXPECT_TRUE(schematic.has_value());
    input.material.schematic = schematic->root;
  }
  const std::vector<Finding> of_rules = lint(input);
  findings.insert(findings.end(), of_rules.begin(), of_rules.end());
  settle(findings);
  return findings;
}

/// As a person would see them: place, what, and how to fix it.
std::string findings_of(const std::string& path) {
  std::string text;
  for (const Finding& finding : lint_file(path)) {
    EXPECT_FALSE(finding.fix.empty());
    text += finding.where + ": " + std::string(name_of(finding.severity)) + ": " + finding.what +
            " [" + finding.id + "]\n    " + finding.fix + "\n";
  }
  return text;
}

/// The profiles of tests/golden/profiles: one file per way to get one wrong, and beside it what
/// ichor says about it.
std::vector<std::string> broken_profiles() {
  std::vector<std::string> stems;
  for (const std::string& file : files_below("tests/golden/profiles")) {
    const std::filesystem::path path(file);
    if (path.extension() == ".findings") {
      stems.push_back("tests/golden/profiles/" + (path.parent_path() / path.stem()).string());
    }
  }
  return stems;
}

class Broken : public testing::TestWithParam<std::string> {};

TEST_P(Broken, IsExplained) {
  const std::string findings = findings_of(GetParam() + ".yaml");
  EXPECT_NE(findings, "");
  EXPECT_EQ(findings, read_file(GetParam() + ".findings"));
}

INSTANTIATE_TEST_SUITE_P(Examples, Broken, testing::ValuesIn(broken_profiles()),
                         [](const auto& info) {
                           std::string name =
                               info.param.substr(sizeof("tests/golden/profiles/") - 1);
                           std::erase_if(name, [](char c) { return c == '-' || c == '/'; });
                           return name;
                         });

TEST(BrokenProfiles, ShowEveryRule) {
  std::set<std::string> shown;
  for (const std::string& stem : broken_profiles()) {
    for (const Finding& finding : lint_file(stem + ".yaml")) {
      if (const LintRule* rule = rule_of(finding.id)) shown.emplace(rule->id);
    }
  }
  for (const LintRule& rule : lint_rules())
    EXPECT_TRUE(shown.contains(std::string(rule.id))) << rule.id;
}

TEST(LintRules, HaveAPageEach) {
  for (const LintRule& rule : lint_rules()) {
    EXPECT_TRUE(std::filesystem::exists(rule.page())) << rule.page();
  }
}

TEST(Reference, HasNoFindings) { EXPECT_EQ(findings_of("examples/reference/ichor.yaml"), ""); }

}  // namespace
}  // namespace ichor
