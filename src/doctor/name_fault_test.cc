#include "doctor/name_fault.h"

#include <gtest/gtest.h>

#include "wait/retry_table.h"

namespace ichor {
namespace {

RunResult ended(std::string verdict, FaultId fault) {
  RunResult result;
  result.exit = Exit::failed;
  result.verdict = std::move(verdict);
  result.fault = fault;
  return result;
}

TEST(NameFault, TakesTheRowThatTheErrorCarriesWhateverItsSentence) {
  RunResult result = ended("No space left on device", "L7");
  name_fault(result);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].id, "L7");
  EXPECT_EQ(result.findings[0].what, "No space left on device");
}

TEST(NameFault, ReadsWhatADiskSaid) {
  RunResult result = ended("/x/journal.db: No space left on device", {});
  name_fault(result);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].id, "L3");
}

TEST(NameFault, AddsNothingToAnEndThatIsExplained) {
  RunResult result = ended("x", "L7");
  result.findings.emplace_back().id = "E4";
  name_fault(result);
  EXPECT_EQ(result.findings.size(), 1u);
}

/// What ichor itself found in an answer is judged by its mark: the sentence does not matter.
TEST(NameFault, JudgesOurOwnCallErrorsByTheirMark) {
  const auto judged = [](Call call, Code code, FaultId mark) {
    CallError error{call, Progress::answered, TlsVerdict::fine, code, "another sentence", {}, mark};
    return std::string(rule_for(error).fault);
  };
  EXPECT_EQ(judged(Call::apply_configuration, Code::aborted, "A6"), "A6");
  EXPECT_EQ(judged(Call::kubeconfig, Code::internal, "A8"), "A8");
  EXPECT_EQ(judged(Call::kubeconfig, Code::internal, "L13"), "L13");
  EXPECT_EQ(judged(Call::kubeconfig, Code::internal, {}), "A1") << "no mark, no row of its own";
}

}  // namespace
}  // namespace ichor
