#include <fmt/format.h>

#include "command/commands.h"
#include "lab/folders.h"
#include "model/or_end.h"
#include "run/finish.h"

namespace ichor {

Exit run(const LabRmRequest& request, const CommonOptions&, Host& host) {
  RunResult result;
  result.exit = Exit::done;
  std::size_t removed = 0;
  for (const std::string& folder : request.folders) {
    const auto gone = lab::remove_folder(host.files.absolute(folder));
    removed += gone ? 1 : 0;
    if (gone) continue;
    // The others are removed all the same.
    const Exit exit = exit_of(gone.error().code);
    result.exit = result.exit == Exit::done ? exit : result.exit;
    result.verdict += (result.verdict.empty() ? "" : "\n") + gone.error().message;
  }
  if (result.verdict.empty()) {
    result.verdict = fmt::format("removed {} {}", removed, removed == 1 ? "lab" : "labs");
  }
  return finish(std::move(result), host.terminal);
}

}  // namespace ichor
