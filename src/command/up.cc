#include <fmt/format.h>

#include "command/commands.h"
#include "command/ground.h"
#include "command/partial_run.h"
#include "command/site_checks.h"

namespace ichor {

namespace {

OrEnd<Ground> take_ground(const UpRequest& request, const CommonOptions& common,
                          const ProfileInput& input, Desk& desk) {
  if (!request.lab.wanted) return find_ground(common, input, desk);
  desk.set_time_scale(request.lab.time_scale);
  auto seat = take_lab(request.lab, common, desk);
  if (!seat) return tl::unexpected(std::move(seat).error());
  return ground_on(*seat, common, input);
}

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

Exit bring_up_on(const Ground& ground, const UpRequest& request, const ProfileInput& input,
                 Desk& desk) {
  // Asked before the run: a kubeconfig that may not be written is bad news after twenty minutes.
  if (auto allowed = desk.may_export(ground.kubeconfig); !allowed) {
    return finish(end_with(allowed.error()).value(), desk);
  }
  WorkspaceWish place = ground.wish(request.change);
  place.makes_secrets = true;
  auto space = open_workspace(input, place, desk);
  if (!space) return finish(std::move(space).error(), desk);

  const std::vector<Finding> failures = failures_of(site_checks(input, ground, *space, desk));
  if (!failures.empty()) {
    RunResult refused;
    refused.exit = Exit::unsafe;
    refused.verdict = failures.front().what;
    refused.findings = failures;
    return finish(summary_of(input, std::move(refused)), desk);
  }
  RunWish wish;
  wish.adopt = request.change.adopt;
  Summary summary = summary_of(input, run_engine(input.profile, *space, wish, desk));
  summary.written.emplace_back("state", space->state->path());
  summary.written.emplace_back("talosconfig", space->state->path() + "/talosconfig");
  const auto exported = export_kubeconfig(ground.kubeconfig, ground.outside, *space, desk);
  if (!exported) {
    summary.result.findings.push_back({Severity::error,
                                       "L3",
                                       {},
                                       ground.kubeconfig,
                                       exported.error().message,
                                       "free the place, then run `ichor kubeconfig`"});
    if (summary.result.exit == Exit::done) summary.result.exit = Exit::failed;
  } else if (*exported) {
    summary.written.emplace_back("kubeconfig", ground.kubeconfig);
  }
  summary.next = next_steps(summary.result, ground.kubeconfig);
  return finish(std::move(summary), desk);
}

}  // namespace

Exit run(const UpRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {request.nodes, request.change, request.exclude}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  auto ground = take_ground(request, common, *input, desk);
  if (!ground) return finish(std::move(ground).error(), desk);
  if (!request.kubeconfig.empty()) ground->kubeconfig = request.kubeconfig;
  if (!request.change.dry_run) return bring_up_on(*ground, request, *input, desk);
  return plan_phases(*input, *ground, {{}, request.change}, desk);
}

}  // namespace ichor
