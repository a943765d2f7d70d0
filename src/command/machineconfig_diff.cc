#include <fmt/format.h>

#include "command/commands.h"
#include "machineconfig/diff.h"
#include "model/or_end.h"
#include "run/finish.h"

namespace ichor {

namespace {

OrEnd<ConfigDocuments> read_side(const std::string& path, Host& host) {
  const auto text = host.files.read_input(path);
  if (!text) return end_with(Exit::usage, text.error().message);
  auto documents = read_config(*text, path);
  if (!documents) return end_with(documents.error());
  return *std::move(documents);
}

}  // namespace

Exit run(const MachineconfigDiffRequest& request, const CommonOptions&, Host& host) {
  auto left = read_side(request.left, host);
  if (!left) return finish(std::move(left).error(), host.terminal);
  auto right = read_side(request.right, host);
  if (!right) return finish(std::move(right).error(), host.terminal);
  const std::vector<ConfigDifference> differences = diff_configs(*left, *right);
  wipe(*left);
  wipe(*right);
  Listing listing{
      "difference",
      {{"document", "DOCUMENT"}, {"path", "PATH"}, {"before", "BEFORE"}, {"after", "AFTER"}},
      {}};
  for (const ConfigDifference& one : differences) {
    listing.rows.push_back({{"document", one.document},
                            {"path", one.path},
                            {"before", one.before},
                            {"after", one.after}});
  }
  if (!differences.empty()) host.terminal.display().show(listing);
  RunResult result;
  result.exit =
      request.detailed_exitcode && !differences.empty() ? Exit::changes_pending : Exit::done;
  result.verdict = differences.empty() ? "no difference"
                                       : fmt::format("{} difference{}", differences.size(),
                                                     differences.size() == 1 ? "" : "s");
  return finish(std::move(result), host.terminal);
}

}  // namespace ichor
