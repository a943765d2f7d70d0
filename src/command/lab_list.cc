#include <fmt/format.h>

#include "command/commands.h"
#include "lab/folders.h"
#include "run/finish.h"
#include "view/journal_runs.h"

namespace ichor {

Exit run(const LabListRequest&, const CommonOptions& common, Host& host) {
  std::vector<std::string> places{host.files.absolute(".")};
  if (!common.lab_state.empty()) places.push_back(host.files.absolute(common.lab_state));
  Listing listing{"lab",
                  {{"folder", "FOLDER"},
                   {"kind", "KIND"},
                   {"state", "STATE"},
                   {"pid", "PROCESS"},
                   {"machines", "MACHINES"},
                   {"changed", "STARTED"}},
                  {}};
  for (const lab::LabFolder& lab : lab::find_labs(places)) {
    nlohmann::ordered_json row;
    row["folder"] = lab.path;
    row["kind"] = lab.temporary ? "temporary" : "named";
    row["state"] = lab.runs ? "runs" : "off";
    if (lab.pid != 0) row["pid"] = lab.pid;
    row["machines"] = lab.machines;
    row["changed"] = utc_text(lab.changed_ms);
    listing.rows.push_back(std::move(row));
  }
  const std::size_t count = listing.rows.size();
  if (count > 0) host.terminal.display().show(listing);
  RunResult result;
  result.exit = Exit::done;
  result.verdict = fmt::format("{} {}", count, count == 1 ? "lab" : "labs");
  return finish(std::move(result), host.terminal);
}

}  // namespace ichor
