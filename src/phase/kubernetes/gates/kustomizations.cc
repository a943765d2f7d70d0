#include "phase/kubernetes/gates/queries.h"

namespace ichor {

Gate kustomizations_gate(const GateInput&) {
  Gate gate;
  gate.watches = {all_of({"kustomize.toolkit.fluxcd.io", "", "Kustomization"}),
                  all_of({"helm.toolkit.fluxcd.io", "", "HelmRelease"})};
  gate.fault = "K4";
  gate.optional_kinds = true;
  gate.judge = [](const GateView& view) {
    std::vector<Unmet> unmet = judge_all(*view.objects[0], "K4", "Kustomization");
    append(unmet, judge_all(*view.objects[1], "K4"));
    return unmet;
  };
  return gate;
}

}  // namespace ichor
