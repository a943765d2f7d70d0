#include "command/commands.h"
#include "model/kubernetes_plan.h"
#include "run/engine_run.h"
#include "run/finish.h"
#include "run/kube_reach.h"
#include "run/kubernetes_run.h"

namespace ichor {

namespace {

/// The state folder, which must have been begun on this machine.
OrEnd<std::unique_ptr<StateDir>> open_own_state(const std::string& path, bool adopt, Desk& desk) {
  auto state = desk.open_state(path, Desk::Missing::make);
  if (!state) return end_with(state.error());
  if (!(*state)->copied()) return *std::move(state);
  if (!adopt) {
    return end_with(Exit::unsafe, path + " was created on another machine: --adopt goes on with it",
                    "L6");
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
  const std::optional<Workspace> known = reach_talos(*input, *ground, desk);
  auto state = open_own_state(ground->state_dir, request.change.adopt, desk);
  if (!state) return finish(std::move(state).error(), desk);
  KubernetesOptions options;
  options.first = options.last = static_cast<int>(request.phase);
  options.phases.phase = {request.change.dry_run, request.force_conflicts};
  options.phases.timeout = request.timeout;
  options.kubeconfig = request.kubeconfig;
  options.for_programs = for_programs(common.output);
  options.detailed_exitcode = request.change.detailed_exitcode;
  if (known) options.check = kubeconfig_check(input->profile, *known);
  TalosApi* talos = known ? &known->site->talos() : nullptr;
  auto work = KubernetesWork::prepare(*input, *ground, **state, talos, std::move(options), desk);
  if (!work) return finish(summary_of(*input, std::move(work).error()), desk);
  return finish(summary_of(*input, run_kubernetes(input->profile, **state, **work, desk)), desk);
}

}  // namespace ichor
