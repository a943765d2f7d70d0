#include <fmt/format.h>

#include "command/commands.h"
#include "lab/control.h"
#include "run/finish.h"

namespace ichor {

Exit run(const LabStopRequest& request, const CommonOptions&, Host& host) {
  constexpr Duration patience = std::chrono::seconds(10);
  if (auto stopped = lab::stop_lab(request.state_dir, patience); !stopped) {
    return finish(end_with(stopped.error()).value(), host.terminal);
  }
  RunResult result;
  result.exit = Exit::done;
  result.verdict = fmt::format("the lab is off; its disks are in {}", request.state_dir);
  return finish(std::move(result), host.terminal);
}

}  // namespace ichor
