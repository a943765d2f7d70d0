#include "run/finish.h"

#include "doctor/name_fault.h"

namespace ichor {

Exit finish(Summary summary, Host& host) {
  name_fault(summary.result);
  host.display().end(summary);
  return summary.result.exit;
}

Exit finish(RunResult result, Host& host) {
  Summary summary;
  summary.result = std::move(result);
  return finish(std::move(summary), host);
}

Exit finish_aside(RunResult result, Host& host) {
  Summary summary;
  summary.result = std::move(result);
  summary.aside = true;
  return finish(std::move(summary), host);
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
