#include "command/finish.h"

#include <algorithm>
#include <array>

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

std::string with_profile(std::string text, const std::string& path) {
  if (path == CommonOptions().profile) return text;
  constexpr std::array<std::string_view, 11> kVerbs = {
      "up",        "apply",  "reset",  "verify", "preflight", "discover",
      "bootstrap", "health", "status", "unlock", "kubeconfig"};
  constexpr std::string_view kName = "`ichor ";
  for (std::size_t at = text.find(kName); at != std::string::npos; at = text.find(kName, at)) {
    at += kName.size();
    const std::size_t end = std::min(text.find_first_of(" `", at), text.size());
    const std::string_view verb = std::string_view(text).substr(at, end - at);
    if (std::find(kVerbs.begin(), kVerbs.end(), verb) == kVerbs.end()) continue;
    text.insert(end, " -p " + path);
  }
  return text;
}

Summary summary_of(const ProfileInput& input, RunResult result) {
  Summary summary;
  summary.cluster = input.profile.name;
  summary.result = std::move(result);
  summary.result.findings.insert(summary.result.findings.begin(), input.warnings.begin(),
                                 input.warnings.end());
  for (Finding& finding : summary.result.findings) {
    finding.fix = with_profile(std::move(finding.fix), input.path);
  }
  return summary;
}

}  // namespace ichor
