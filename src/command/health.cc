#include "command/commands.h"
#include "command/partial_run.h"

namespace ichor {

Exit run(const HealthRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {request.nodes, {}, {}}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  if (request.wait_timeout) input->profile.budgets.verify = *request.wait_timeout;
  const auto ground = find_ground(common, *input, desk);
  if (!ground) return finish(ground.error(), desk);
  auto space = open_workspace(*input, ground->wish(), desk);
  if (!space) return finish(std::move(space).error(), desk);
  RunResult result = run_engine(input->profile, *space, {{"ready"}, false}, desk);
  return finish(summary_of(*input, std::move(result)), desk);
}

}  // namespace ichor
