#include "template/render.h"

#include <fmt/format.h>

#include "command/commands.h"
#include "profile/folder_loader.h"
#include "profile/template_values.h"
#include "run/finish.h"
#include "yaml/document.h"

namespace ichor {

namespace {

RunResult ended(Exit exit, std::string verdict) {
  RunResult result;
  result.exit = exit;
  result.verdict = std::move(verdict);
  return result;
}

RunResult ended_with(std::string where, std::string what, std::string fix, std::string verdict) {
  RunResult result = ended(Exit::findings, std::move(verdict));
  Finding finding;
  finding.id = "template";
  finding.where = std::move(where);
  finding.what = std::move(what);
  finding.fix = std::move(fix);
  result.findings.push_back(std::move(finding));
  return result;
}

RunResult bad_variables(const yaml::SyntaxError& error) {
  return ended_with(yaml::to_text(error.file, error.at), error.what, "",
                    error.file + ": no variables can be read from it");
}

using Variables = tl::expected<jinja::Value, RunResult>;

/// The top-level keys of a YAML text, put over those that are there.
tl::expected<void, RunResult> add_variables(const std::string& text, const std::string& file,
                                            jinja::Value& variables) {
  const auto document = yaml::parse_single(text, file);
  if (!document) return tl::unexpected(bad_variables(document.error()));
  if (document->root.is_null()) return {};
  if (!document->root.is_mapping()) {
    return tl::unexpected(
        bad_variables({file, document->root.at, "variables are a mapping of names to values"}));
  }
  auto more = template_value(document->root, file);
  if (!more) return tl::unexpected(bad_variables(more.error()));
  for (const auto& [key, value] : more->as_dict()->entries()) variables.as_dict()->put(key, value);
  return {};
}

Variables read_variables(const RenderRequest& request, Host& host) {
  jinja::Value variables = jinja::Value::dict();
  for (const std::string& file : request.variable_files) {
    const auto text = host.files.read_input(file);
    if (!text) return tl::unexpected(ended(Exit::usage, text.error().message));
    if (auto added = add_variables(*text, file, variables); !added) {
      return forward_error(added);
    }
  }
  for (const auto& [key, text] : request.settings) {
    const std::string where = "--set " + key;
    const auto document = yaml::parse_single(text, where);
    if (!document) return tl::unexpected(ended(Exit::usage, document.error().message()));
    auto value = template_value(document->root, where);
    if (!value) return tl::unexpected(ended(Exit::usage, value.error().message()));
    variables.as_dict()->put(jinja::Value::string(key), *std::move(value));
  }
  return variables;
}

jinja::Options options_of(const RenderRequest& request) {
  jinja::Options options;
  const bool is_makejinja = request.delimiters == DelimiterSet::makejinja;
  if (is_makejinja) options.syntax.delimiters = jinja::makejinja_delimiters();
  options.syntax.trim_blocks = request.trim_blocks;
  options.syntax.lstrip_blocks = request.lstrip_blocks;
  options.syntax.keep_trailing_newline = request.keep_trailing_newline || is_makejinja;
  return options;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Why there is nothing in the result.
std::vector<Finding> empty_findings(const jinja::Rendering& rendering) {
  std::vector<Finding> findings;
  if (!rendering.is_empty()) return findings;
  for (const jinja::Skipped& skipped : rendering.skipped) {
    Finding finding;
    finding.severity = Severity::warning;
    finding.id = "template-empty";
    finding.where = fmt::format("{}:{}:{}", skipped.file, skipped.line, skipped.column);
    finding.what =
        fmt::format("the result is empty: false or without items was `{}`", skipped.text);
    finding.fix = "check the variables in it";
    findings.push_back(std::move(finding));
  }
  return findings;
}

Exit deliver(const RenderRequest& request, const CommonOptions& common,
             const jinja::Rendering& rendering, Host& host) {
  Summary summary;
  summary.result.exit = Exit::done;
  summary.result.findings = empty_findings(rendering);
  if (!request.output.empty() && request.output != "-") {
    auto written = host.files.write_private(request.output, SecretString(rendering.text));
    if (!written) return finish(ended(Exit::failed, written.error().message), host.terminal);
    summary.result.verdict = request.file + ": rendered";
    summary.written.emplace_back("result", request.output);
    return finish(std::move(summary), host.terminal);
  }
  if (for_programs(common.output)) {
    Listing listing;
    listing.type = "rendering";
    listing.rows.push_back({{"text", rendering.text}});
    host.terminal.display().show(listing);
    return finish(std::move(summary), host.terminal);
  }
  host.terminal.out() << rendering.text;
  if (summary.result.findings.empty()) return Exit::done;
  summary.result.verdict = request.file + ": rendered";
  return finish_aside(std::move(summary.result), host.terminal);
}

}  // namespace

Exit run(const RenderRequest& request, const CommonOptions& common, Host& host) {
  const auto text = host.files.read_input(request.file);
  if (!text) return finish(ended(Exit::usage, text.error().message), host.terminal);
  const auto variables = read_variables(request, host);
  if (!variables) return finish(variables.error(), host.terminal);
  FolderLoader loader(
      request.template_root.empty() ? folder_of(request.file) : request.template_root, host.files);
  const auto rendering =
      jinja::render(*text, request.file, *variables, options_of(request), &loader);
  if (!rendering) {
    const jinja::TemplateError& error = rendering.error();
    return finish(
        ended_with(error.where(), error.what, error.fix, request.file + ": cannot be rendered"),
        host.terminal);
  }
  return deliver(request, common, *rendering, host);
}

}  // namespace ichor
