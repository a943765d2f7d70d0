#include <algorithm>

#include "command/commands.h"
#include "phase/configured.h"
#include "run/partial_run.h"

namespace ichor {

namespace {

/// How long a node may take to leave maintenance mode, unless somebody says otherwise.
constexpr Duration kConfiguredTime = std::chrono::minutes(5);

}  // namespace

Exit run(const VerifyRequest& request, const CommonOptions& common, Desk& desk) {
  ChangeOptions change;
  change.patience = request.patience;
  auto input = read_profile_input(common, {request.nodes, change, {}}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  const auto ground = find_ground(common, *input, desk);
  if (!ground) return finish(ground.error(), desk);
  auto space = open_workspace(*input, ground->workspace_options(), desk);
  if (!space) return finish(std::move(space).error(), desk);
  ClusterProfile whole = input->profile;
  whole.nodes = input->everybody;
  if (may_have_etcd(whole, space->facts)) {
    RunResult result = run_engine(input->profile, *space, {{"verify"}, false}, desk);
    return finish(summary_of(*input, std::move(result)), desk);
  }
  // Before bootstrap no node can run: it is enough that only etcd is missing.
  if (!request.patience.verify) {
    Duration& budget = input->profile.budgets.verify;
    budget = std::min(budget, kConfiguredTime);
  }
  EngineOptions options{{}, false};
  options.steps = {
      {std::make_shared<Configured>(), Who::every_node, Milestone::none, Milestone::none, false}};
  Summary summary = summary_of(*input, run_engine(input->profile, *space, options, desk));
  if (summary.result.exit == Exit::done) {
    summary.result.verdict += "; etcd is not bootstrapped yet";
    summary.next = {"ichor bootstrap"};
  }
  return finish(std::move(summary), desk);
}

}  // namespace ichor
