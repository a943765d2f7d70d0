#include "phase/kubernetes/release_gate.h"

#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

bool belongs_to(const KubeObject& object, const std::string& release) {
  return text_at(object, {"metadata", "annotations", "meta.helm.sh/release-name"}) == release;
}

}  // namespace

Gate release_gate(const WantedRelease& release) {
  Gate gate;
  gate.name = release.name;
  for (const char* kind : {"Deployment", "DaemonSet", "StatefulSet"}) {
    gate.watches.push_back({{"apps", "v1", kind}, release.name_space, {}, {}});
  }
  gate.pods.push_back({{"", "v1", "Pod"}, release.name_space, {}, {}});
  gate.optional_kinds = true;
  gate.judge = [name = release.name](const GateView& view) {
    std::vector<Unmet> unmet;
    for (const SeenObjects* kind : view.objects) {
      for (const KubeObject& object : *kind) {
        if (!belongs_to(object, name)) continue;
        const Workload wanted{ref_of(object), "K6", ""};
        for (Unmet& one : judge_workload(wanted, &object, view.pods)) {
          unmet.push_back(std::move(one));
        }
      }
    }
    return unmet;
  };
  return gate;
}

}  // namespace ichor
