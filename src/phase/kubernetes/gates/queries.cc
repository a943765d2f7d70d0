#include "phase/kubernetes/gates/queries.h"

namespace ichor {

Gate pair_gate(const WorkloadPair& pair) {
  const Workload on_nodes{{kDaemonSet, pair.name_space, pair.daemon_set}, pair.fault, pair.fix};
  const Workload central{{kDeployment, pair.name_space, pair.deployment}, pair.fault, pair.fix};
  Gate gate;
  gate.watches = {all_of(kNode), in(kDaemonSet, pair.name_space), in(kDeployment, pair.name_space)};
  gate.pods = {in(kPod, pair.name_space)};
  gate.judge = [on_nodes, central](const GateView& view) {
    std::vector<Unmet> unmet;
    if (!on_nodes.ref.name.empty()) {
      unmet = judge_daemon_set(on_nodes, *view.objects[1], *view.objects[0], view.pods);
    }
    if (!central.ref.name.empty()) {
      append(unmet, judge_workload(central, *view.objects[2], view.pods));
    }
    return unmet;
  };
  return gate;
}

}  // namespace ichor
