#include <fmt/format.h>
#include <optional>

#include "command/commands.h"
#include "command/kubeconfig_file.h"
#include "command/lab_seat.h"
#include "command/partial_run.h"

namespace ichor {

namespace {

/// Where a run takes place and where it leaves what it makes.
struct Ground {
  std::string state_dir;
  std::string kubeconfig;
  std::function<IpAddress(const IpAddress&)> dial;
  OutsideView outside;
};

/// On a lab everything goes below the lab's folder, and the operator's tree stays as it is.
Ground ground_of(const UpRequest& request, const CommonOptions& common, const ProfileInput& input,
                 const std::optional<LabSeat>& seat) {
  Ground ground;
  ground.state_dir = state_path(common, input);
  ground.kubeconfig = kubeconfig_path(request.kubeconfig, input);
  if (!seat) return ground;
  if (common.state_dir.empty()) ground.state_dir = seat->ichor_state(input.profile);
  if (request.kubeconfig.empty()) ground.kubeconfig = seat->state_dir + "/kubeconfig";
  ground.dial = [addresses = seat->addresses](const IpAddress& address) {
    return addresses.loopback(address);
  };
  const std::string& endpoint = input.profile.network.api_endpoint;
  ground.outside = {endpoint, seat->addresses.loopback_url(endpoint)};
  return ground;
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
  WorkspaceWish place;
  place.state_dir = ground.state_dir;
  place.adopt = request.change.adopt;
  place.dial = ground.dial;
  auto space = open_workspace(input, place, desk);
  if (!space) return finish(std::move(space).error(), desk);

  Summary summary = summary_of(input, run_engine(input.profile, *space, {}, desk));
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
  desk.set_time_scale(request.lab.time_scale);
  auto input = read_profile_input(common, {request.nodes, request.change, request.exclude}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  std::optional<LabSeat> seat;
  if (request.lab.wanted) {
    auto taken = take_lab(request.lab, common, desk);
    if (!taken) return finish(std::move(taken).error(), desk);
    seat = *std::move(taken);
  }
  const Ground ground = ground_of(request, common, *input, seat);
  if (!request.change.dry_run) return bring_up_on(ground, request, *input, desk);
  PlanWish plan;
  plan.detailed_exitcode = request.change.detailed_exitcode;
  plan.state_dir = ground.state_dir;
  plan.dial = ground.dial;
  return plan_phases(*input, common, plan, desk);
}

}  // namespace ichor
