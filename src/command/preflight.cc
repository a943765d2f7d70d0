#include "command/commands.h"
#include "command/partial_run.h"

namespace ichor {

Exit run(const PreflightRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {request.nodes, {}, {}}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  const auto ground = find_ground(common, *input, desk);
  if (!ground) return finish(ground.error(), desk);
  auto space = open_workspace(*input, ground->wish(), desk);
  if (!space) return finish(std::move(space).error(), desk);
  RunResult result = run_engine(input->profile, *space, {{"preflight"}, false}, desk);
  // Nothing was to be changed, so there is nothing to refuse: what it found is what it is for.
  const bool found = result.exit == Exit::failed || result.exit == Exit::unsafe;
  if (found && !result.nodes.empty()) result.exit = Exit::findings;
  return finish(summary_of(*input, std::move(result)), desk);
}

}  // namespace ichor
