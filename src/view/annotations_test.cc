#include "view/annotations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::ElementsAre;

TEST(Annotations, AreOneLinePerFinding) {
  RunResult result;
  result.findings.push_back({Severity::error, "E4", NodeName("cp1"), "bootstrap",
                             "cp1 has etcd data", "restore it, or reset the node"});
  result.findings.push_back(
      {Severity::warning, "T7", {}, "preflight", "100 % drift\nof clocks", ""});
  EXPECT_THAT(annotations(result),
              ElementsAre("::error title=E4 bootstrap (cp1)::cp1 has etcd data%0Afix: restore it, "
                          "or reset the node",
                          "::warning title=T7 preflight::100 %25 drift%0Aof clocks"));
}

TEST(Annotations, CannotBeLeftByATextFromOutside) {
  RunResult result;
  result.findings.push_back({Severity::error, "D8", NodeName("a::b,c"), "scan",
                             "x\r\n::set-output name=token::\x1b[2J", ""});
  EXPECT_THAT(
      annotations(result),
      ElementsAre("::error title=D8 scan (a%3A%3Ab%2Cc)::x%0D%0A::set-output name=token::"));
}

}  // namespace
}  // namespace ichor
