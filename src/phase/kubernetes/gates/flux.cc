#include "phase/kubernetes/gates/queries.h"

namespace ichor {

namespace {

struct FluxParts {
  Workload manager;
  Workload instance;
};

std::vector<Unmet> judge_flux(const FluxParts& parts, const GateView& view) {
  std::vector<Unmet> unmet;
  if (!parts.manager.ref.name.empty()) {
    unmet = judge_workload(parts.manager, *view.objects[0], view.pods);
  }
  if (!parts.instance.ref.name.empty()) {
    append(unmet, judge_workload(parts.instance, *view.objects[1], {}));
  }
  bool any = false;
  for (std::size_t i = 2; i < view.objects.size(); ++i) {
    any = any || !view.objects[i]->empty();
    append(unmet, judge_all(*view.objects[i], "K4"));
  }
  if (!any) append(unmet, judge_all({}, "K4", "GitRepository, OCIRepository or Bucket"));
  return unmet;
}

}  // namespace

Gate flux_gate(const GateInput& input) {
  constexpr const char* kSources = "source.toolkit.fluxcd.io";
  const KubernetesPlan::Flux& flux = input.plan.flux;
  const KubeKind instance{"fluxcd.controlplane.io", "", "FluxInstance"};
  const FluxParts parts{{{kDeployment, flux.name_space, flux.deployment},
                         "K4",
                         "install flux-operator (phase 2), or say phases.flux.operator: none"},
                        {{instance, flux.name_space, flux.instance},
                         "K4",
                         "install the FluxInstance (phase 2), or say phases.flux.instance: none"}};
  Gate gate;
  gate.watches = {in(kDeployment, flux.name_space), in(instance, flux.name_space),
                  all_of({kSources, "", "GitRepository"}), all_of({kSources, "", "OCIRepository"}),
                  all_of({kSources, "", "Bucket"})};
  gate.pods = {in(kPod, flux.name_space)};
  gate.fault = "K4";
  gate.optional_kinds = true;
  gate.judge = [parts](const GateView& view) { return judge_flux(parts, view); };
  return gate;
}

}  // namespace ichor
