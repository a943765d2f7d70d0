#include "command/commands.h"
#include "command/finish.h"
#include "command/kubernetes_run.h"
#include "model/kubernetes_plan.h"

namespace ichor {

namespace {

/// The state folder, which must have been begun on this machine.
OrEnd<std::unique_ptr<StateDir>> open_own_state(const std::string& path, bool adopt, Desk& desk) {
  auto state = desk.open_state(path, Desk::Missing::make);
  if (!state) return end_with(state.error());
  if (!(*state)->copied()) return *std::move(state);
  if (!adopt) {
    return end_with(Exit::unsafe, path + " was begun on another machine: --adopt goes on with it");
  }
  if (auto adopted = (*state)->adopt(desk.owner()); !adopted) return end_with(adopted.error());
  return *std::move(state);
}

}  // namespace

Exit run(const PhaseRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {request.nodes, request.change, {}}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  if (!input->profile.kubernetes || !input->profile.kubernetes->phases) {
    return finish(end_with(Exit::usage, common.profile + " has no section `phases`").value(), desk);
  }
  const auto ground = find_ground(common, *input, desk);
  if (!ground) return finish(ground.error(), desk);
  const std::unique_ptr<Site> site = reach_talos(*input, *ground, desk);
  auto state = open_own_state(ground->state_dir, request.change.adopt, desk);
  if (!state) return finish(std::move(state).error(), desk);
  KubernetesWish wish;
  wish.phases.first = wish.phases.last = static_cast<int>(request.phase);
  wish.phases.options = {request.change.dry_run, request.force_conflicts};
  wish.phases.timeout = request.timeout;
  wish.kubeconfig = request.kubeconfig;
  wish.for_programs = for_programs(common.output);
  wish.detailed_exitcode = request.change.detailed_exitcode;
  RunResult result;
  run_kubernetes(*input, *ground, **state, site ? &site->talos() : nullptr, wish, result, desk);
  return finish(summary_of(*input, std::move(result)), desk);
}

}  // namespace ichor
