#include "machineconfig/validate/validate.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"
#include "command/commands.h"
#include "machineconfig/patch_input.h"
#include "run/finish.h"
#include "yaml/document.h"

namespace ichor {

namespace {

RuntimeMode runtime_mode(ValidateMode mode) {
  switch (mode) {
    case ValidateMode::metal: return RuntimeMode::metal;
    case ValidateMode::cloud: return RuntimeMode::cloud;
    case ValidateMode::container: return RuntimeMode::container;
  }
  return RuntimeMode::metal;
}

std::string_view name_of(ValidateMode mode) {
  switch (mode) {
    case ValidateMode::metal: return "metal";
    case ValidateMode::cloud: return "cloud";
    case ValidateMode::container: return "container";
  }
  return "";
}

std::string counted(std::ptrdiff_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

Exit run(const ValidateRequest& request, const CommonOptions&, Host& host) {
  check(request.mode.has_value(), "the command line has a mode");
  ValidateOptions options;
  options.mode = runtime_mode(*request.mode);
  options.strict = request.strict;
  RunResult result;
  if (!request.talos_version.empty()) {
    const auto minor =
        read_rules_version(request.talos_version, schema::Schema::kUsualMinor, result.findings);
    if (!minor) return finish(minor.error(), host.terminal);
    options.minor = *minor;
  }
  auto content = host.files.read_input(request.config);
  if (!content)
    return finish(end_with(Exit::usage, content.error().message).value(), host.terminal);
  const SecretString text(*std::move(content));
  for (ConfigFinding& found : validate_config(text.reveal(), options)) {
    Finding& finding = result.findings.emplace_back();
    finding.severity = found.severity;
    finding.id = "config";
    finding.where = yaml::to_text(request.config, found.at);
    finding.what = std::move(found.what);
    finding.fix = std::move(found.fix);
  }
  const auto count = [&](Severity severity) {
    return std::count_if(result.findings.begin(), result.findings.end(),
                         [&](const Finding& finding) { return finding.severity == severity; });
  };
  const auto errors = count(Severity::error);
  result.exit = errors > 0 ? Exit::findings : Exit::done;
  result.verdict =
      errors > 0 ? fmt::format("{} is not valid for {} mode: {}, {}", request.config,
                               name_of(*request.mode), counted(errors, "error"),
                               counted(count(Severity::warning), "warning"))
                 : fmt::format("{} is valid for {} mode", request.config, name_of(*request.mode));
  return finish(std::move(result), host.terminal);
}

}  // namespace ichor
