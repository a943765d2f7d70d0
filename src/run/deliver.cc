#include "run/deliver.h"

#include <fmt/format.h>
#include <map>
#include <set>

#include "run/finish.h"

namespace ichor {

namespace {

void print(const TextOutput& output, const CommonOptions& common, Host& host) {
  const std::string text(output.content.reveal());
  if (!for_programs(common.output)) {
    host.terminal.out() << text;
    return;
  }
  Listing listing;
  listing.type = output.what;
  listing.rows.push_back({{"text", text}});
  host.terminal.display().show(listing);
}

/// The first of the outputs whose file already exists; nullptr if none is.
const TextOutput* find_present(const std::vector<TextOutput>& outputs, Host& host) {
  std::map<std::string, std::set<std::string>> folders;  // each is listed once
  for (const TextOutput& output : outputs) {
    if (output.path == "-") continue;
    const std::size_t slash = output.path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : output.path.substr(0, slash + 1);
    const auto [names, is_new] = folders.try_emplace(folder);
    if (const auto listed = is_new ? host.files.list_folder(folder) : std::nullopt; listed) {
      names->second.insert(listed->begin(), listed->end());
    }
    const std::string name =
        slash == std::string::npos ? output.path : output.path.substr(slash + 1);
    if (names->second.contains(name)) return &output;
  }
  return nullptr;
}

RunResult is_present(const std::string& path) {
  return end_with(Exit::failed, path + " already exists; --force replaces it").value();
}

}  // namespace

std::optional<RunResult> refuse_present(const std::string& path, bool force, Host& host) {
  if (path == "-" || force || !host.files.has_file(path)) return std::nullopt;
  return is_present(path);
}

Exit deliver(std::vector<TextOutput> outputs, bool force, std::vector<Finding> findings,
             const CommonOptions& common, Host& host) {
  // Asked before the first one is written, so that a refusal leaves nothing behind.
  if (const TextOutput* present = force ? nullptr : find_present(outputs, host)) {
    return finish_aside(is_present(present->path), host.terminal);
  }
  for (const TextOutput& output : outputs) {
    if (output.path == "-" || output.sealed) continue;
    if (auto allowed = host.files.may_export(output.path); !allowed) {
      return finish_aside(end_with(allowed.error()).value(), host.terminal);
    }
  }
  Summary summary;
  summary.result.exit = Exit::done;
  std::vector<std::string> places;
  for (const TextOutput& output : outputs) {
    if (output.path == "-") {
      print(output, common, host);
      continue;
    }
    const auto written = output.reproducible
                             ? host.files.create_reproducible(output.path, output.content, force)
                             : host.files.create_private(output.path, output.content, force);
    if (!written) return finish_aside(end_with(written.error()).value(), host.terminal);
    summary.written.emplace_back(output.what, output.path);
    places.push_back(output.path);
  }
  if (!places.empty()) {
    constexpr std::size_t named_max = 4;  // they are all listed anyway
    summary.result.verdict = places.size() > named_max
                                 ? fmt::format("wrote {} files", places.size())
                                 : fmt::format("wrote {}", fmt::join(places, ", "));
  }
  summary.result.findings = std::move(findings);
  summary.aside = true;
  // A text alone on standard output needs no last word.
  const bool silent =
      places.empty() && summary.result.findings.empty() && !for_programs(common.output);
  if (!silent) host.terminal.display().end(summary);
  return Exit::done;
}

}  // namespace ichor
