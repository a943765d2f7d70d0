#include "command/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command/commands.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Explain : public ::testing::Test {
 protected:
  int type(std::vector<std::string> words) {
    words.insert(words.begin(), "explain");
    const CommandLine line = parse_command_line(words);
    return static_cast<int>(run_command(std::get<Invocation>(line), host_));
  }
  const std::string& verdict() { return host_.display().summary().result.verdict; }

  FakeHost host_;
};

TEST_F(Explain, AFaultSaysWhatToDo) {
  EXPECT_EQ(type({"N1"}), 0);
  EXPECT_THAT(host_.printed(), HasSubstr("N1: "));
  EXPECT_THAT(host_.printed(), HasSubstr("\n  fix       "));
}

TEST_F(Explain, ALintRuleAndAFaultOfOneIdAreBothSaid) {
  EXPECT_EQ(type({"C2"}), 0);
  EXPECT_THAT(host_.printed(), HasSubstr("C2: "));
  EXPECT_THAT(host_.printed(), HasSubstr("\nC2, lint rule: kernel arguments"));
  EXPECT_THAT(host_.printed(), HasSubstr("  boot.arguments\n")) << "the page is in the binary";
  EXPECT_THAT(host_.printed(), Not(HasSubstr("# C2")));
}

TEST_F(Explain, ProgramsGetAnObjectForEachOfThem) {
  EXPECT_EQ(type({"C2", "-o", "json"}), 0);
  EXPECT_THAT(host_.display().rows("fault", {"kind", "id"}),
              ElementsAre("fault C2", "lint rule C2"));
}

TEST_F(Explain, TakesTheNameOfAFindingAndASmallLetter) {
  EXPECT_EQ(type({"boot.arguments"}), 0);
  EXPECT_THAT(host_.printed(), HasSubstr("C2, lint rule"));
  EXPECT_EQ(explain_id("n1")->title, explain_id("N1")->title);
}

TEST_F(Explain, KnowsEveryIdThatIchorPrints) {
  for (const Fault& fault : faults()) EXPECT_TRUE(explain_id(std::string(fault.id))) << fault.id;
  for (const LintRule& rule : lint_rules()) {
    const auto explained = explain_id(std::string(rule.id));
    ASSERT_TRUE(explained) << rule.id;
    EXPECT_THAT(explained->rows.back()["text"].get<std::string>(),
                HasSubstr("# " + std::string(rule.id) + ": "))
        << rule.id;
  }
}

TEST_F(Explain, AnUnknownIdGetsTheNearestOne) {
  EXPECT_EQ(type({"E99"}), 64);
  EXPECT_THAT(verdict(), HasSubstr("ID E99; did you mean E"));
  EXPECT_EQ(nearest_id("n0"), "N1");
  EXPECT_EQ(nearest_id("V7"), "V1");
  EXPECT_EQ(nearest_id("nonsense"), "");
}

}  // namespace
}  // namespace ichor
