#include <algorithm>
#include <fmt/format.h>

#include "base/nearest_name.h"
#include "command/commands.h"
#include "lab/control.h"
#include "run/finish.h"

namespace ichor {

namespace {

Exit list_faults(Host& host) {
  Listing listing{"lab-fault",
                  {{"fault", "FAULT"},
                   {"id", "ID"},
                   {"lasts", "LASTS"},
                   {"call", "CALL"},
                   {"what", "WHAT HAPPENS TO A NODE"}},
                  {}};
  for (const lab::FaultKind& kind : lab::fault_kinds()) {
    nlohmann::ordered_json row;
    row["fault"] = kind.name;
    row["id"] = kind.row;
    row["lasts"] = kind.lasts ? "yes" : "";
    row["call"] = kind.of_call ? "yes" : "";
    row["what"] = kind.summary;
    listing.rows.push_back(std::move(row));
  }
  host.terminal.display().show(listing);
  RunResult result;
  result.exit = Exit::done;
  result.verdict = "`ichor doctor ID` explains a row";
  return finish(std::move(result), host.terminal);
}

}  // namespace

Exit run(const LabInjectRequest& request, const CommonOptions&, Host& host) {
  if (request.list) return list_faults(host);
  std::vector<std::string_view> known;
  for (const lab::FaultKind& kind : lab::fault_kinds()) known.push_back(kind.name);
  if (std::find(known.begin(), known.end(), request.fault) == known.end()) {
    return finish(end_with(Exit::usage, fmt::format("unknown fault {}; {}", request.fault,
                                                    name_hint(request.fault, known)))
                      .value(),
                  host.terminal);
  }
  lab::Injection injection;
  injection.node = NodeName(request.node);
  injection.fault = request.fault;
  injection.lasts = request.lasts;
  injection.call = request.call;
  auto injected = lab::inject_into(request.state_dir, injection);
  if (!injected) return finish(end_with(injected.error()).value(), host.terminal);
  RunResult result;
  result.exit = Exit::done;
  result.verdict = *std::move(injected);
  return finish(std::move(result), host.terminal);
}

}  // namespace ichor
