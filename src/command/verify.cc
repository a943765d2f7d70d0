#include <algorithm>

#include "command/commands.h"
#include "phase/configured.h"
#include "run/partial_run.h"

namespace ichor {

namespace {

/// How long a node may take to leave maintenance mode, unless a flag says otherwise.
constexpr Duration kConfiguredTime = std::chrono::minutes(5);

}  // namespace

Exit run(const VerifyRequest& request, const CommonOptions& common, Host& host) {
  ChangeOptions change;
  change.patience = request.patience;
  auto input = read_profile_input(common, {request.nodes, change, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  auto space = open_workspace(*input, target->workspace_options(), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  ClusterProfile whole = input->profile;
  whole.nodes = input->everybody;
  if (may_have_etcd(whole, space->facts)) {
    RunResult result = run_engine(input->profile, *space, {{"verify"}, false}, host);
    return finish(summary_of(*input, std::move(result)), host.terminal);
  }
  // Before bootstrap no node can run: it is enough that only etcd is missing.
  ClusterProfile looked_at = input->profile;
  if (!request.patience.verify) {
    Duration& budget = looked_at.budgets.verify;
    budget = std::min(budget, kConfiguredTime);
  }
  EngineOptions options{{}, false};
  options.steps = {
      {std::make_shared<Configured>(), Who::every_node, Milestone::none, Milestone::none, false}};
  Summary summary = summary_of(*input, run_engine(looked_at, *space, options, host));
  if (summary.result.exit == Exit::done) {
    summary.result.verdict += "; etcd is not bootstrapped yet";
    summary.next = {"ichor bootstrap"};
  }
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
