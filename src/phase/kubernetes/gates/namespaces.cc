#include <algorithm>

#include "phase/kubernetes/gates/queries.h"
#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

/// A namespace that is there and on its way out takes nothing in.
std::vector<Unmet> judge_namespaces(const std::vector<std::string>& names,
                                    const SeenObjects& found) {
  std::vector<Unmet> unmet;
  for (const KubeObject& object : found) {
    const bool ours =
        names.empty() || std::find(names.begin(), names.end(), name_in(object)) != names.end();
    if (ours) append(unmet, judge_one(object, "K3"));
  }
  return unmet;
}

}  // namespace

Gate namespaces_gate(const GateInput& input) {
  Gate gate;
  gate.watches = {all_of({"", "v1", "Namespace"})};
  gate.judge = [names = input.names](const GateView& view) {
    return judge_namespaces(names, *view.objects[0]);
  };
  return gate;
}

}  // namespace ichor
