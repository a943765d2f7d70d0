#include "command/finish.h"

#include "doctor/examine_node.h"
#include "doctor/match.h"

namespace ichor {

namespace {

bool is_trouble(Exit exit) {
  return exit == Exit::failed || exit == Exit::out_of_time || exit == Exit::unsafe;
}

/// An error that ended a command before anybody made a finding of it gets the row that its words
/// lead to, so that all trouble can be looked up alike.
void name_fault(RunResult& result) {
  if (!is_trouble(result.exit) || !result.findings.empty()) return;
  const auto match = match_error(result.verdict);
  if (match && match->fault) {
    result.findings.push_back(finding_of(match->fault->id, {}, "", result.verdict));
  }
}

}  // namespace

Exit finish(Summary summary, Desk& desk) {
  name_fault(summary.result);
  desk.display().end(summary);
  return summary.result.exit;
}

Exit finish(RunResult result, Desk& desk) {
  Summary summary;
  summary.result = std::move(result);
  return finish(std::move(summary), desk);
}

Exit finish_aside(RunResult result, Desk& desk) {
  Summary summary;
  summary.result = std::move(result);
  summary.aside = true;
  return finish(std::move(summary), desk);
}

Summary summary_of(const ProfileInput& input, RunResult result) {
  Summary summary;
  summary.cluster = input.profile.name;
  summary.result = std::move(result);
  summary.result.findings.insert(summary.result.findings.begin(), input.warnings.begin(),
                                 input.warnings.end());
  return summary;
}

}  // namespace ichor
