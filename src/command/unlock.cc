#include <fmt/format.h>

#include "command/commands.h"
#include "command/finish.h"
#include "command/profile_input.h"

namespace ichor {

Exit run(const UnlockRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  auto state = desk.open_state(state_path(common, *input), Desk::Missing::refuse);
  if (!state) return finish(end_with(state.error()).value(), desk);
  const auto holder = (*state)->journal().holder();
  const bool named = holder && holder->nonce == request.nonce;
  if (named && !request.force && (*state)->journal().holder_runs_here()) {
    RunResult refused =
        end_with(Exit::unsafe,
                 fmt::format("process {} holds the lock and runs on this machine", holder->pid))
            .value();
    refused.findings.push_back(
        {Severity::error,
         "L7",
         {},
         "lock",
         refused.verdict,
         fmt::format("wait for it, or end it: `kill {}`. If it hangs, `ichor unlock --force {}` "
                     "takes the lock from it: it writes and sends nothing more",
                     holder->pid, request.nonce)});
    return finish(summary_of(*input, std::move(refused)), desk);
  }
  const auto broken = (*state)->journal().break_lock(request.nonce);
  if (!broken) return finish(end_with(broken.error()).value(), desk);
  RunResult result;
  result.exit = Exit::done;
  result.verdict = fmt::format("the lock of {} is broken", input->profile.name);
  return finish(summary_of(*input, std::move(result)), desk);
}

}  // namespace ichor
