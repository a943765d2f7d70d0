#include "command/text_output.h"

#include <fmt/format.h>

#include "command/finish.h"

namespace ichor {

namespace {

void print(const TextOutput& output, const CommonOptions& common, Desk& desk) {
  const std::string text(output.content.reveal());
  if (common.output == OutputFormat::table) {
    desk.out() << text;
    return;
  }
  Listing listing;
  listing.type = output.what;
  listing.rows.push_back({{"text", text}});
  desk.display().show(listing);
}

}  // namespace

Exit deliver(std::vector<TextOutput> outputs, bool force, std::vector<Finding> findings,
             const CommonOptions& common, Desk& desk) {
  Summary summary;
  summary.result.exit = Exit::done;
  std::vector<std::string> places;
  for (const TextOutput& output : outputs) {
    if (output.path == "-") {
      print(output, common, desk);
      continue;
    }
    const auto written = desk.write_private(output.path, output.content, force);
    if (!written) return finish_aside(end_with(written.error()).value(), desk);
    summary.written.emplace_back(output.what, output.path);
    places.push_back(output.path);
  }
  if (!places.empty()) {
    summary.result.verdict = fmt::format("wrote {}", fmt::join(places, ", "));
  }
  summary.result.findings = std::move(findings);
  summary.aside = true;
  // A text alone on standard output needs no last word.
  const bool silent =
      places.empty() && summary.result.findings.empty() && common.output == OutputFormat::table;
  if (!silent) desk.display().end(summary);
  return Exit::done;
}

}  // namespace ichor
