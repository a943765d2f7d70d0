#include "phase/kubernetes/gates/queries.h"

namespace ichor {

Gate csi_gate(const GateInput& input) {
  const KubernetesPlan::Gates& gates = input.plan.gates;
  return pair_gate({gates.csi_namespace, gates.csi_node, gates.csi_controller, "K6",
                    "install CSI, or correct gates.csi in the profile"});
}

}  // namespace ichor
