#include "run/finish.h"

#include "doctor/name_fault.h"

namespace ichor {

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
