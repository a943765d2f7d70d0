#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kubernetes_plan.h"
#include "phase/kubernetes/gate.h"

namespace ichor {

/// What a gate is made from.
struct GateInput {
  const KubernetesPlan& plan;
  /// Of what must be there: nodes, namespaces or CRDs, as the gate has it; none: whatever is there.
  std::vector<std::string> names{};
  std::optional<Duration> stable{};  // instead of the plan's
};

inline constexpr int kNoPhase = -1;

/// One gate. The phases, `ichor wait`, `ichor status`, `ichor health` and docs/phases.md have their
/// gates from here.
struct GateRow {
  std::string_view name;     // "talos-services"
  std::string_view layer;    // of `ichor status` that it is part of; empty: of none
  std::string_view summary;  // what holds
  /// The phase that waits for it by this plan, or kNoPhase.
  int (*phase)(const KubernetesPlan& plan);
  Gate (*make)(const GateInput& input);
};

const std::vector<GateRow>& gate_table();

/// Null if there is none of this name.
const GateRow* find_gate(std::string_view name);

/// A gate that must be there, by its name.
Gate make_gate(std::string_view name, const GateInput& input);

/// The names of the gates that a phase waits for by this plan, in the order of the table.
std::vector<std::string_view> gates_of_phase(int phase, const KubernetesPlan& plan);

/// The names of a profile's nodes, for the gates that need them.
std::vector<std::string> node_names(const ClusterProfile& profile);

// src/phase/kubernetes/gates has each in a file of its own.
#define ICHOR_GATE(id, name, layer, phase, summary) Gate id##_gate(const GateInput& input);
#include "model/gates.inc"
#undef ICHOR_GATE

}  // namespace ichor
