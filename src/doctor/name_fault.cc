#include "doctor/name_fault.h"

#include "doctor/examine_node.h"
#include "doctor/match.h"

namespace ichor {

namespace {

bool is_trouble(Exit exit) {
  return exit == Exit::failed || exit == Exit::out_of_time || exit == Exit::unsafe;
}

}  // namespace

void name_fault(RunResult& result) {
  if (!is_trouble(result.exit) || !result.findings.empty()) return;
  if (!result.fault.empty()) {
    result.findings.push_back(finding_of(result.fault.text(), {}, "", result.verdict));
    return;
  }
  // What a disk, a library or a program said.
  const auto match = match_error(result.verdict);
  if (match && match->fault) {
    result.findings.push_back(finding_of(match->fault->id, {}, "", result.verdict));
  }
}

}  // namespace ichor
