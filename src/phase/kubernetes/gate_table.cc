#include "phase/kubernetes/gate_table.h"

#include <algorithm>

#include "base/check.h"

namespace ichor {

const std::vector<GateRow>& gate_table() {
  static const std::vector<GateRow> rows = {
#define ICHOR_GATE(id, name, layer, phase, summary) \
  {name, layer, summary,                            \
   []([[maybe_unused]] const KubernetesPlan& plan) -> int { return (phase); }, id##_gate},
#include "model/gates.inc"
#undef ICHOR_GATE
  };
  return rows;
}

const GateRow* find_gate(std::string_view name) {
  const auto& rows = gate_table();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const GateRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

Gate make_gate(std::string_view name, const GateInput& input) {
  const GateRow* row = find_gate(name);
  check(row != nullptr, "a gate is named as in the table");
  Gate gate = row->make(input);
  gate.name = row->name;
  return gate;
}

std::vector<std::string_view> gates_of_phase(int phase, const KubernetesPlan& plan) {
  std::vector<std::string_view> names;
  for (const GateRow& row : gate_table()) {
    if (row.phase(plan) == phase) names.push_back(row.name);
  }
  return names;
}

std::vector<std::string> node_names(const ClusterProfile& profile) {
  std::vector<std::string> names;
  for (const NodePlan& node : profile.nodes) names.push_back(node.name.value());
  return names;
}

}  // namespace ichor
