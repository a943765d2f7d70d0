#include <algorithm>
#include <fmt/format.h>

#include "command/commands.h"
#include "command/finish.h"
#include "command/profile_input.h"

namespace ichor {

namespace {

std::string counted(std::ptrdiff_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

Exit run(const LintRequest&, const CommonOptions& common, Desk& desk) {
  auto findings = lint_profile_input(common, desk);
  if (!findings) return finish(std::move(findings).error(), desk);
  const auto count = [&](Severity severity) {
    return std::count_if(findings->begin(), findings->end(),
                         [&](const Finding& finding) { return finding.severity == severity; });
  };
  const auto errors = count(Severity::error);
  const auto warnings = count(Severity::warning);
  RunResult result;
  result.exit = errors > 0 ? Exit::findings : Exit::done;
  result.verdict = fmt::format("{}: {}, {}", common.profile, counted(errors, "error"),
                               counted(warnings, "warning"));
  result.findings = *std::move(findings);
  return finish(std::move(result), desk);
}

}  // namespace ichor
