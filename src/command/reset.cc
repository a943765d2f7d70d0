#include "phase/reset.h"

#include <algorithm>
#include <fmt/format.h>

#include "cluster/run_profile.h"
#include "command/commands.h"
#include "run/partial_run.h"

namespace ichor {

namespace {

/// Never a majority of the control planes, unless the whole cluster goes: what is left could not
/// agree on anything any more.
OrEnd<void> keep_quorum(const ClusterProfile& profile, const ResetPlan& plan) {
  const int all = profile.control_plane_count();
  int gone = 0;
  for (const NodeName& name : plan.nodes) {
    if (profile.find(name)->role == Role::control_plane) ++gone;
  }
  if (plan.whole_cluster || gone == 0 || all - gone > all / 2) return {};
  RunResult result;
  result.exit = Exit::unsafe;
  result.verdict =
      fmt::format("{} of {} control planes would go; etcd needs {}", gone, all, all / 2 + 1);
  result.findings.push_back(
      {Severity::error,
       "E8",
       {},
       "quorum",
       result.verdict,
       fmt::format("reset fewer at a time, or the whole cluster: `ichor reset --all "
                   "--cluster-name {}`",
                   profile.name)});
  return tl::unexpected(std::move(result));
}

OrEnd<ResetPlan> make_reset_plan(const ResetOptions& request, const ProfileInput& input) {
  const ClusterProfile& profile = input.profile;
  if (request.all && request.cluster_name != profile.name) {
    return end_with(Exit::usage, fmt::format("--cluster-name says {}, and the profile is of {}",
                                             request.cluster_name, profile.name));
  }
  const auto names = find_names(request.nodes.nodes, profile);
  if (!names) return forward_error(names);
  ResetPlan plan;
  plan.whole_cluster = request.all;
  plan.nodes.insert(names->begin(), names->end());
  if (request.all) {
    for (const NodePlan& node : profile.nodes) plan.nodes.insert(node.name);
  }
  // The last member of a cluster cannot leave it, and no node is left to drain to.
  plan.request.graceful = request.graceful.value_or(!request.all);
  plan.request.reboot = request.reboot;
  plan.request.partitions = request.partitions;
  plan.request.user_disks = request.user_disks;
  if (auto kept = keep_quorum(profile, plan); !kept) return forward_error(kept);
  return plan;
}

}  // namespace

Exit run(const ResetOptions& request, const CommonOptions& common, Host& host) {
  // Quorum is judged by all control planes, so the profile keeps its nodes.
  NodeOptions everybody = request.nodes;
  everybody.nodes.clear();
  auto input = read_profile_input(common, {everybody, request.change, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  auto plan = make_reset_plan(request, *input);
  if (!plan) return finish(std::move(plan).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  const Step step{std::make_shared<Reset>(*std::move(plan)), Who::cluster, Milestone::none,
                  Milestone::none, false};
  if (request.change.dry_run) {
    return plan_phases(*input, *target, {{}, request.change, {step}}, host);
  }
  auto space = open_workspace(*input, target->workspace_options(request.change), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  const EngineOptions options{{}, true, {step}, request.change.adopt};
  Summary summary = summary_of(*input, run_engine(input->profile, *space, options, host));
  if (summary.result.exit == Exit::done) summary.next = {"ichor up  # installs them again"};
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
