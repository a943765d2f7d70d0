#include "run/finish.h"

#include "doctor/name_fault.h"

namespace ichor {

Exit finish(Summary summary, Terminal& terminal) {
  name_fault(summary.result);
  terminal.display().end(summary);
  return summary.result.exit;
}

Exit finish(RunResult result, Terminal& terminal) {
  Summary summary;
  summary.result = std::move(result);
  return finish(std::move(summary), terminal);
}

Exit finish_aside(RunResult result, Terminal& terminal) {
  Summary summary;
  summary.result = std::move(result);
  summary.aside = true;
  return finish(std::move(summary), terminal);
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
