#include <algorithm>
#include <fmt/format.h>

#include "cli/version.h"
#include "cluster/profile_input.h"
#include "command/commands.h"
#include "lint/rules.h"
#include "lint/sarif.h"
#include "lint/source_lines.h"
#include "run/finish.h"

namespace ichor {

namespace {

std::string counted(std::ptrdiff_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

OrEnd<std::vector<Finding>> lint_all(const std::vector<std::string>& profiles,
                                     const CommonOptions& common, Host& host) {
  std::vector<Finding> findings;
  for (const std::string& path : profiles) {
    CommonOptions one = common;
    one.profile = path;
    auto found = lint_profile_input(one, host);
    if (!found) return found;
    findings.insert(findings.end(), found->begin(), found->end());
  }
  settle(findings);
  return findings;
}

}  // namespace

Exit run(const LintRequest& request, const CommonOptions& common, Host& host) {
  std::vector<std::string> profiles = request.profiles;
  if (profiles.empty()) profiles.push_back(common.profile);
  auto findings = lint_all(profiles, common, host);
  if (!findings) return finish(std::move(findings).error(), host.terminal);
  const auto count = [&](Severity severity) {
    return std::count_if(findings->begin(), findings->end(),
                         [&](const Finding& finding) { return finding.severity == severity; });
  };
  const auto errors = count(Severity::error);
  const auto warnings = count(Severity::warning);
  const Exit exit = errors > 0 ? Exit::findings : Exit::done;
  if (common.output == OutputFormat::sarif) {
    host.terminal.out() << to_sarif(*findings, version());
    return exit;
  }
  RunResult result;
  result.exit = exit;
  result.verdict = fmt::format(
      "{}: {}, {}",
      profiles.size() == 1 ? profiles.front() : fmt::format("{} profiles", profiles.size()),
      counted(errors, "error"), counted(warnings, "warning"));
  result.findings = *std::move(findings);
  if (!for_programs(common.output)) show_source_lines(result.findings, host.files);
  return finish(std::move(result), host.terminal);
}

}  // namespace ichor
