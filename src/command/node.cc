#include <fmt/format.h>

#include "cluster/run_profile.h"
#include "command/commands.h"
#include "phase/apply.h"
#include "phase/forget_machine.h"
#include "phase/forget_member.h"
#include "phase/reset.h"
#include "run/etcd_snapshot.h"
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
std::vector<Step> removal_steps(const NodeRequest& request, const NodePlan& plan) {
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
RunResult finish_removal(const NodeRequest& request, const ProfileInput& input,
                         const RunTarget& target, Workspace& space, const RunTurn& turn,
                         const NodePlan& plan, RunResult done, Host& host) {
  const auto deleted = delete_node(input, target, space, turn, plan.name, host);
  if (!deleted) {
    end_turn(space.state->journal(), turn, input.profile.name, deleted.error(), host);
    return deleted.error();
  }
  EngineOptions options{
      {}, false, {of_cluster(std::make_shared<ForgetMachine>(plan.name))}, request.change.adopt};
  options.turn = &turn;
  options.goes_on = request.deed == NodeDeed::replace;
  RunResult noted = run_engine(input.profile, space, options, host);
  if (noted.exit != Exit::done) return noted;
  done.mutations += *deleted ? 1 : 0;
  done.verdict = fmt::format("{} is removed{}", plan.name.value(),
                             *deleted ? "" : "; Kubernetes had no Node of it any more");
  return done;
}

/// The nodes' half of `ichor up`: whoever is part of the cluster already is left as it is.
RunResult bring_in(const NodeRequest& request, const ProfileInput& input, Workspace& space,
                   const RunTurn& turn, Host& host) {
  EngineOptions options;
  options.adopt = request.change.adopt;
  options.turn = &turn;
  return run_engine(input.profile, space, options, host);
}

/// A name that etcd still gives to another machine must not be reused: the new one would take the
/// place of a member that may come back.
OrEnd<void> name_is_free(const ProfileInput& input, Workspace& space, const NodePlan& plan,
                         Host& host) {
  if (plan.role != Role::control_plane || space.facts.settled(plan.name)) return {};
  const auto seen = see_etcd(input.profile, space, host);
  if (!seen) return forward_error(seen);
  const std::string& name = plan.name.value();
  for (const NodeView& node : seen->nodes) {
    if (!node.etcd.members || node.node == plan.name) continue;
    for (const EtcdMember& member : *node.etcd.members) {
      if (member.hostname != name) continue;
      RunResult result;
      result.exit = Exit::unsafe;
      result.verdict = fmt::format("etcd still has the member {:016x} with the name {}",
                                   member.id.value(), name);
      result.findings.push_back(
          {Severity::error, "E5", plan.name, "etcd", result.verdict,
           fmt::format("if its machine is gone for good: `ichor node remove {} --dead`", name)});
      return tl::unexpected(std::move(result));
    }
  }
  return {};
}

RunResult add(const NodeRequest& request, const ProfileInput& input, Workspace& space,
              const RunTurn& turn, const NodePlan& plan, Host& host) {
  if (auto free = name_is_free(input, space, plan, host); !free) return std::move(free).error();
  RunResult result = bring_in(request, input, space, turn, host);
  if (result.exit == Exit::done) {
    result.verdict = fmt::format("{} is part of {}", plan.name.value(), input.profile.name);
  }
  return result;
}

RunResult remove(const NodeRequest& request, const ProfileInput& input, const RunTarget& target,
                 Workspace& space, const RunTurn& turn, const NodePlan& plan, Host& host) {
  RunResult result;
  result.exit = Exit::done;
  const std::vector<Step> steps = removal_steps(request, plan);
  if (!steps.empty()) {
    EngineOptions options{{}, true, steps, request.change.adopt};
    options.turn = &turn;
    options.goes_on = true;
    result = run_engine(input.profile, space, options, host);
  }
  if (result.exit != Exit::done) return result;
  return finish_removal(request, input, target, space, turn, plan, std::move(result), host);
}

RunResult replace(const NodeRequest& request, const ProfileInput& input, const RunTarget& target,
                  Workspace& space, const RunTurn& turn, const NodePlan& plan, Host& host) {
  // Nothing is removed that could not be installed again.
  const Wanted wanted{input.profile, space.configs, space.facts, host.loop.clock().now()};
  if (auto stop = other_than_upgraded(wanted, plan.name, space.configs.nodes.at(plan.name))) {
    RunResult refused;
    refused.exit = Exit::unsafe;
    refused.verdict = stop->finding.what;
    refused.findings.push_back(std::move(stop->finding));
    return refused;
  }
  const RunResult removed = remove(request, input, target, space, turn, plan, host);
  if (removed.exit != Exit::done) return removed;
  RunResult result = bring_in(request, input, space, turn, host);
  result.mutations += removed.mutations;
  if (result.exit == Exit::done) {
    result.verdict = fmt::format("{} is replaced", plan.name.value());
  }
  return result;
}

/// What a dry run plays: the whole of a removal, or of an addition.
Exit show_plan_of(const NodeRequest& request, const ProfileInput& input, const RunTarget& target,
                  const NodePlan& plan, Host& host) {
  PlanOptions options{{}, request.change, {}};
  if (request.deed != NodeDeed::add) options.steps = removal_steps(request, plan);
  if (request.deed != NodeDeed::add && options.steps.empty()) {
    RunResult result;
    result.exit = request.change.detailed_exitcode ? Exit::changes_pending : Exit::done;
    result.verdict = fmt::format("the Node {} would be deleted", plan.name.value());
    return finish(summary_of(input, std::move(result)), host.terminal);
  }
  return plan_phases(input, target, options, host);
}

}  // namespace

Exit run(const NodeRequest& request, const CommonOptions& common, Host& host) {
  // Quorum is judged by all control planes, so the profile keeps its nodes.
  NodeOptions everybody = request.nodes;
  everybody.nodes.clear();
  auto input = read_profile_input(common, {everybody, request.change, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto names = find_names(request.nodes.nodes, input->profile);
  if (!names) return finish(names.error(), host.terminal);
  const NodePlan& plan = *input->profile.find(names->front());
  if (request.deed != NodeDeed::add) {
    if (auto kept = keep_quorum(input->profile, plan); !kept) {
      return finish(std::move(kept).error(), host.terminal);
    }
  }
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  if (request.change.dry_run) return show_plan_of(request, *input, *target, plan, host);
  auto space = open_workspace(*input, target->workspace_options(request.change), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  const auto turn = take_turn(space->state->journal(), host);
  if (!turn) return finish(summary_of(*input, turn.error()), host.terminal);
  RunResult result;
  switch (request.deed) {
    case NodeDeed::add: result = add(request, *input, *space, *turn, plan, host); break;
    case NodeDeed::remove:
      result = remove(request, *input, *target, *space, *turn, plan, host);
      break;
    case NodeDeed::replace:
      result = replace(request, *input, *target, *space, *turn, plan, host);
      break;
  }
  const bool removed = request.deed == NodeDeed::remove && result.exit == Exit::done;
  Summary summary = summary_of(*input, std::move(result));
  if (removed) {
    summary.next = {
        fmt::format("remove {} from the profile, or", plan.name.value()),
        fmt::format("ichor node add {}  # installs a machine under this name", plan.name.value())};
  }
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
