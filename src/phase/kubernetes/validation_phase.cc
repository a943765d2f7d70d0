#include "phase/kubernetes/validation_phase.h"

#include <fmt/format.h>

#include "async/task_group.h"
#include "base/mutant.h"
#include "phase/kubernetes/gates.h"
#include "phase/kubernetes/tools.h"

namespace ichor {

namespace {

constexpr Duration kBuildLimit = std::chrono::minutes(2);

std::vector<std::string> kubeconform_arguments(const PhaseRun& run) {
  std::vector<std::string> words{"-strict", "-ignore-missing-schemas", "-summary"};
  for (const std::string& schema : run.material.plan.flux.kubeconform_schemas) {
    words.insert(words.end(), {"-schema-location", schema});
  }
  const std::string& version = run.profile.talos.kubernetes_version;
  if (!version.empty()) {
    words.insert(words.end(),
                 {"-kubernetes-version", version.starts_with('v') ? version.substr(1) : version});
  }
  words.emplace_back("-");
  return words;
}

ProcessCall build_call(PhaseRun& run) {
  ProcessCall call = tool_call(run.world, run.material, "kustomize",
                               {"build", run.material.plan.flux.kustomize_root});
  call.limit = kBuildLimit;
  return call;
}

ProcessCall check_call(PhaseRun& run, SecretString manifests) {
  ProcessCall call = tool_call(run.world, run.material, "kubeconform", kubeconform_arguments(run));
  call.limit = kBuildLimit;
  call.input = std::move(manifests);
  call.folder = run.material.plan.root;  // schemas may be named from there
  return call;
}

void unclean(PhaseRun& run, std::string reason) {
  run.stop_at("kustomize",
              {run.material.plan.flux.kustomize_root, std::move(reason),
               "mend it in the repository, and try `kustomize build` there", "K4", true},
              StepEnd::failed);
}

/// `kustomize build` of the root, and kubeconform over what it gives.
Task<void> check_tree(Context context, PhaseRun& run) {
  auto built = co_await tool_output(context, run.world, build_call(run));
  if (!built) {
    unclean(run, built.error().message);
    co_return;
  }
  const auto checked =
      co_await run.world.processes.run(context, check_call(run, *std::move(built)));
  if (!checked) {
    unclean(run, checked.error().message);
  } else if (checked->exit != 0) {
    unclean(run, fmt::format("kubeconform: {}{}", checked->output.reveal().substr(0, 800),
                             checked->errors.substr(0, 400)));
  }
}

Task<void> look_once(Context context, PhaseRun& run, Gate gate, bool& all) {
  gate.once = true;
  const GateEnd end = co_await wait_for(context, run.place(), gate);
  if (!end.holds()) all = false;
}

/// Waits until all gates hold at the same time: one that held may be broken again before the last
/// of them does, and the handover is said of what was seen together.
Task<void> pass_together(Context context, PhaseRun& run, std::vector<Gate> gates) {
  while (true) {
    TaskGroup waits(context);
    for (const Gate& gate : gates) waits.spawn(pass_beside(context, run, gate));
    co_await waits.join();
    if (run.report.end != StepEnd::passed || mutant("gates-one-by-one")) co_return;
    bool all = true;
    TaskGroup looks(context);
    for (const Gate& gate : gates) looks.spawn(look_once(context, run, gate, all));
    co_await looks.join();
    if (all || context.cancelled()) co_return;
  }
}

}  // namespace

Task<void> run_validation(Context context, PhaseRun& run) {
  const KubernetesPlan& plan = run.material.plan;
  TaskGroup group(context);
  if (!plan.flux.kustomize_root.empty()) group.spawn(check_tree(context, run));
  std::vector<Gate> gates;
  if (!mutant("flux-not-awaited")) gates.push_back(flux_gate(plan.flux));
  if (!mutant("kustomizations-not-awaited")) gates.push_back(kustomizations_gate());
  if (plan.gates.csi_phase == 3) gates.push_back(csi_gate(plan.gates));
  if (!run.options.dry_run) group.spawn(pass_together(context, run, std::move(gates)));
  co_await group.join();
}

}  // namespace ichor
