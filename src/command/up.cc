#include <fmt/format.h>

#include "command/commands.h"
#include "command/kubeconfig_file.h"
#include "command/partial_run.h"

namespace ichor {

namespace {

/// What an operator may want to do after a run that ended so.
std::vector<std::string> next_steps(const RunResult& result, const std::string& kubeconfig) {
  switch (result.exit) {
    case Exit::done: return {fmt::format("kubectl --kubeconfig {} get nodes", kubeconfig)};
    case Exit::interrupted:
    case Exit::terminated:
    case Exit::out_of_time: return {"ichor up: it goes on where this run was", "ichor status"};
    case Exit::failed: return {"mend what is named above, then ichor up: it goes on from there"};
    case Exit::unsafe: return {"nothing more was touched: read what is named above first"};
    default: return {};
  }
}

}  // namespace

Exit run(const UpRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {request.nodes, request.change, request.exclude}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  if (request.change.dry_run) {
    PlanWish plan;
    plan.detailed_exitcode = request.change.detailed_exitcode;
    return plan_phases(*input, common, plan, desk);
  }
  // Asked before the run: a kubeconfig that may not be written is bad news after twenty minutes.
  const std::string kubeconfig = kubeconfig_path(request.kubeconfig, *input);
  if (auto allowed = desk.may_export(kubeconfig); !allowed) {
    return finish(end_with(allowed.error()).value(), desk);
  }
  WorkspaceWish place;
  place.state_dir = state_path(common, *input);
  place.adopt = request.change.adopt;
  auto space = open_workspace(*input, place, desk);
  if (!space) return finish(std::move(space).error(), desk);

  Summary summary = summary_of(*input, run_engine(input->profile, *space, {}, desk));
  summary.written.emplace_back("state", space->state->path());
  summary.written.emplace_back("talosconfig", space->state->path() + "/talosconfig");
  const auto exported = export_kubeconfig(kubeconfig, *space, desk);
  if (!exported) {
    summary.result.findings.push_back({Severity::error,
                                       "L3",
                                       {},
                                       kubeconfig,
                                       exported.error().message,
                                       "free the place, then run `ichor kubeconfig`"});
    if (summary.result.exit == Exit::done) summary.result.exit = Exit::failed;
  } else if (*exported) {
    summary.written.emplace_back("kubeconfig", kubeconfig);
  }
  summary.next = next_steps(summary.result, kubeconfig);
  return finish(std::move(summary), desk);
}

}  // namespace ichor
