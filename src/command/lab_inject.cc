#include <algorithm>
#include <fmt/format.h>

#include "base/nearest_name.h"
#include "command/commands.h"
#include "command/finish.h"
#include "lab/control.h"

namespace ichor {

Exit run(const LabInjectRequest& request, const CommonOptions&, Desk& desk) {
  std::vector<std::string_view> known{"clear"};
  for (const lab::FaultKind& kind : lab::fault_kinds()) known.push_back(kind.name);
  if (std::find(known.begin(), known.end(), request.fault) == known.end()) {
    return finish(end_with(Exit::usage, fmt::format("unknown fault {}; {}", request.fault,
                                                    name_hint(request.fault, known)))
                      .value(),
                  desk);
  }
  lab::Injection injection;
  injection.node = NodeName(request.node);
  injection.fault = request.fault;
  injection.lasts = request.lasts;
  auto injected = lab::inject_into(request.state_dir, injection);
  if (!injected) return finish(end_with(injected.error()).value(), desk);
  RunResult result;
  result.exit = Exit::done;
  result.verdict = *std::move(injected);
  return finish(std::move(result), desk);
}

}  // namespace ichor
