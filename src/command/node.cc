#include <fmt/format.h>

#include "cluster/run_profile.h"
#include "command/commands.h"
#include "phase/forget_machine.h"
#include "phase/forget_member.h"
#include "phase/reset.h"
#include "run/node_removal.h"
#include "run/partial_run.h"

namespace ichor {

namespace {

Step of_cluster(std::shared_ptr<const Phase> phase) {
  return {std::move(phase), Who::cluster, Milestone::none, Milestone::none, false};
}

/// The last member cannot leave etcd, and one of two takes the quorum with it.
OrEnd<void> keep_quorum(const ClusterProfile& profile, const NodePlan& plan) {
  const int all = profile.control_plane_count();
  if (plan.role != Role::control_plane || all > 1) return {};
  return end_with(
      Exit::unsafe,
      fmt::format("{} is the only control plane: with it the cluster would go", plan.name.value()),
      "E8");
}

/// What goes on the machine and in etcd. A machine that is dead is not asked.
std::vector<Step> removal_steps(const NodeRemoveRequest& request, const NodePlan& plan) {
  std::vector<Step> steps;
  if (!request.dead) {
    ResetPlan reset;
    reset.nodes.insert(plan.name);
    steps.push_back(of_cluster(std::make_shared<Reset>(std::move(reset))));
  }
  if (plan.role == Role::control_plane) {
    steps.push_back(
        of_cluster(std::make_shared<ForgetMember>(ForgetPlan{plan.name, request.dead})));
  }
  return steps;
}

/// The rest, when nothing of the node is left in etcd: its object, and its name in the journal.
RunResult finish_removal(const ProfileInput& input, const RunTarget& target, Workspace& space,
                         const NodePlan& plan, bool adopt, RunResult done, Host& host) {
  const auto deleted = delete_node(input, target, space, plan.name, host);
  if (!deleted) return deleted.error();
  const EngineOptions options{
      {}, false, {of_cluster(std::make_shared<ForgetMachine>(plan.name))}, adopt};
  RunResult noted = run_engine(input.profile, space, options, host);
  if (noted.exit != Exit::done) return noted;
  done.mutations += *deleted ? 1 : 0;
  done.verdict = fmt::format("{} is removed{}", plan.name.value(),
                             *deleted ? "" : "; Kubernetes had no Node of it any more");
  return done;
}

}  // namespace

Exit run(const NodeRemoveRequest& request, const CommonOptions& common, Host& host) {
  // Quorum is judged by all control planes, so the profile keeps its nodes.
  NodeOptions everybody = request.nodes;
  everybody.nodes.clear();
  auto input = read_profile_input(common, {everybody, request.change, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto names = find_names(request.nodes.nodes, input->profile);
  if (!names) return finish(names.error(), host.terminal);
  const NodePlan& plan = *input->profile.find(names->front());
  if (auto kept = keep_quorum(input->profile, plan); !kept) {
    return finish(std::move(kept).error(), host.terminal);
  }
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  const std::vector<Step> steps = removal_steps(request, plan);
  if (request.change.dry_run && !steps.empty()) {
    return plan_phases(*input, *target, {{}, request.change, steps}, host);
  }
  auto space = open_workspace(*input, target->workspace_options(request.change), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  RunResult result;
  result.exit = Exit::done;
  if (!steps.empty()) {
    const EngineOptions options{{}, true, steps, request.change.adopt};
    result = run_engine(input->profile, *space, options, host);
  }
  if (result.exit != Exit::done || request.change.dry_run) {
    return finish(summary_of(*input, std::move(result)), host.terminal);
  }
  result =
      finish_removal(*input, *target, *space, plan, request.change.adopt, std::move(result), host);
  const bool removed = result.exit == Exit::done;
  Summary summary = summary_of(*input, std::move(result));
  if (removed) {
    summary.next = {fmt::format("remove {} from the profile, or", plan.name.value()),
                    "ichor up  # installs a machine under this name again"};
  }
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
