#include "command/commands.h"
#include "model/kubernetes_plan.h"
#include "run/engine_run.h"
#include "run/finish.h"
#include "run/kube_reach.h"
#include "run/kubernetes_run.h"

namespace ichor {

namespace {

/// The state folder, which must have been created on this machine.
OrEnd<std::unique_ptr<ClusterState>> open_own_state(const std::string& path, bool adopt,
                                                    Host& host) {
  auto state = host.states.open_state(path, ClusterStates::Missing::make);
  if (!state) return end_with(state.error());
  if (!(*state)->copied()) return *std::move(state);
  if (!adopt) {
    return end_with(Exit::unsafe,
                    path + " was created on another machine: --adopt continues with it", "L6");
  }
  if (auto adopted = (*state)->adopt(host.environment.owner()); !adopted)
    return end_with(adopted.error());
  return *std::move(state);
}

}  // namespace

Exit run(const PhaseRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, request.change, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  if (!input->profile.kubernetes || !input->profile.kubernetes->phases) {
    return finish(end_with(Exit::usage, common.profile + " has no section `phases`").value(),
                  host.terminal);
  }
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  const std::optional<Workspace> known = reach_talos(*input, *target, host);
  auto state = open_own_state(target->state_dir, request.change.adopt, host);
  if (!state) return finish(std::move(state).error(), host.terminal);
  KubernetesOptions options;
  options.first = options.last = static_cast<int>(request.phase);
  options.phases.phase = {request.change.dry_run, request.force_conflicts};
  options.phases.timeout = request.timeout;
  options.kubeconfig = request.kubeconfig;
  options.for_programs = for_programs(common.output);
  options.detailed_exitcode = request.change.detailed_exitcode;
  if (known) options.check = kubeconfig_check(input->profile, *known);
  TalosApi* talos = known ? &known->apis->talos() : nullptr;
  auto work = KubernetesWork::prepare(*input, *target, **state, talos, std::move(options), host);
  if (!work) return finish(summary_of(*input, std::move(work).error()), host.terminal);
  return finish(summary_of(*input, run_kubernetes(input->profile, **state, **work, host)),
                host.terminal);
}

}  // namespace ichor
