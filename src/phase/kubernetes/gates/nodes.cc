#include "phase/kubernetes/gates/queries.h"

namespace ichor {

Gate nodes_gate(const GateInput& input) {
  Gate gate;
  gate.watches = {all_of(kNode)};
  gate.stable = input.stable.value_or(input.plan.gates.nodes_stable);
  gate.judge = [expected = input.names](const GateView& view) {
    return judge_nodes(*view.objects[0], expected);
  };
  return gate;
}

}  // namespace ichor
