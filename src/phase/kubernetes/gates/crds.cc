#include <algorithm>

#include "phase/kubernetes/gates/queries.h"
#include "phase/kubernetes/json_view.h"

namespace ichor {

Gate crds_gate(const GateInput& input) {
  Gate gate;
  gate.watches = {all_of({"apiextensions.k8s.io", "v1", "CustomResourceDefinition"})};
  gate.judge = [names = input.names](const GateView& view) {
    std::vector<Unmet> unmet;
    const SeenObjects& found = *view.objects[0];
    for (const std::string& name : names) {
      const bool there = std::any_of(found.begin(), found.end(), [&](const KubeObject& object) {
        return name_in(object) == name;
      });
      if (there) continue;
      unmet.push_back(
          missing_object("CustomResourceDefinition/" + name, "apply it (phase 1)", "K3"));
    }
    append(unmet, judge_all(found, "K3"));
    return unmet;
  };
  return gate;
}

}  // namespace ichor
