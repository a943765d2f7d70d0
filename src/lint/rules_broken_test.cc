#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

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

/// As a person would see them: place, what, and how to fix it.
std::string findings_of(const std::string& path) {
  const ProfileReading reading = read_profile(read_file(path), path);
  std::vector<Finding> findings = reading.findings;
  if (reading.ok()) findings = lint({reading.profile, reading.source});
  std::string text;
  for (const Finding& finding : findings) {
    EXPECT_FALSE(finding.fix.empty());
    text += finding.where + ": " + std::string(name_of(finding.severity)) + ": " + finding.what +
            " [" + finding.id + "]\n    " + finding.fix + "\n";
  }
  return text;
}

/// examples/broken has one file per way to get a profile wrong, and beside it what ichor says about
/// it.
class Broken : public testing::TestWithParam<const char*> {};

TEST_P(Broken, IsExplained) {
  const std::string stem = std::string("examples/broken/") + GetParam();
  const std::string findings = findings_of(stem + ".yaml");
  EXPECT_NE(findings, "");
  EXPECT_EQ(findings, read_file(stem + ".findings"));
}

INSTANTIATE_TEST_SUITE_P(Examples, Broken,
                         testing::Values("alias-bomb", "binary", "duplicate-key", "duplicate-nodes",
                                         "empty", "missing", "network", "only-a-comment", "tabs",
                                         "two-documents", "unclosed", "unknown-key", "unknown-tag",
                                         "wrong-type", "wrong-value"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Reference, HasNoFindings) { EXPECT_EQ(findings_of("examples/reference/ichor.yaml"), ""); }

}  // namespace
}  // namespace ichor
