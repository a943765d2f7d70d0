#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

Finding finding_of(const std::string& node) {
  return {Severity::error,
          "D2",
          NodeName(node),
          "apply",
          "apply: out of time after 15m00s: " + node + " is installing",
          "fix the mirror, then run `ichor up` again"};
}

RunResult failure() {
  RunResult result;
  result.exit = Exit::out_of_time;
  result.verdict = "apply: out of time after 15m00s: cp1 is installing";
  result.findings = {finding_of("cp1")};
  result.nodes = {{NodeName("cp1"), StepEnd::out_of_time, "apply", Stage::installing, 0, "late"},
                  {NodeName("cp2"), StepEnd::blocked, "bootstrap", Stage::booting, 0, "blocked"}};
  return result;
}

std::string violation_of(const RunResult& result) {
  History history("I19");
  history.checker->on_process_ended(1, result);
  return history.violation();
}

TEST(Attribution, HoldsForAFailureThatNamesAll) { EXPECT_EQ(violation_of(failure()), ""); }

TEST(Attribution, IsBrokenByAFailureWithoutFindings) {
  RunResult result = failure();
  result.findings.clear();
  EXPECT_THAT(violation_of(result), testing::HasSubstr("failed without a finding"));
}

TEST(Attribution, IsBrokenByAFailureWithNotesOnly) {
  RunResult result = failure();
  result.findings.front().severity = Severity::note;
  EXPECT_THAT(violation_of(result), testing::HasSubstr("failed without a finding"));
}

TEST(Attribution, IsBrokenByAFindingWithoutAnyOneOfItsParts) {
  for (std::string Finding::*part :
       {&Finding::id, &Finding::where, &Finding::what, &Finding::fix}) {
    RunResult result = failure();
    (result.findings.front().*part).clear();
    EXPECT_THAT(violation_of(result), testing::HasSubstr("without id, place, cause or fix"));
  }
}

TEST(Attribution, IsBrokenByAFailedNodeThatNoFindingNames) {
  RunResult result = failure();
  result.findings.front().node = NodeName("w1");
  EXPECT_EQ(violation_of(result), "run 1 says that cp1 failed, and no finding names it");
}

TEST(Attribution, IsBrokenByANodeThatIsNotInThePlan) {
  RunResult result = failure();
  result.findings.push_back(finding_of("cp9"));
  EXPECT_EQ(violation_of(result), "run 1 blames cp9, which is not planned");
}

TEST(Attribution, AllowsFindingsAboutTheCluster) {
  RunResult result = failure();
  result.nodes.clear();
  result.findings = {{Severity::error,
                      "E4",
                      {},
                      "etcd",
                      "two etcd clusters: [cp1] and [cp2]",
                      "nothing was touched"}};
  EXPECT_EQ(violation_of(result), "");
}

TEST(Attribution, IsBrokenByABareDeadline) {
  for (const char* text :
       {"deadline exceeded", "context deadline exceeded", "DeadlineExceeded",
        "rpc error: code = DeadlineExceeded desc = context deadline exceeded", "Timed out."}) {
    RunResult result = failure();
    result.verdict = text;
    EXPECT_THAT(violation_of(result), testing::HasSubstr("only says")) << text;
    result = failure();
    result.findings.front().what = text;
    EXPECT_THAT(violation_of(result), testing::HasSubstr("only says")) << text;
  }
}

TEST(Attribution, AsksNothingOfRunsThatWereInterruptedOrSucceeded) {
  for (const Exit exit : {Exit::done, Exit::interrupted, Exit::terminated}) {
    RunResult result;
    result.exit = exit;
    result.verdict = "cancelled";
    EXPECT_EQ(violation_of(result), "");
  }
}

}  // namespace
}  // namespace ichor::sim
