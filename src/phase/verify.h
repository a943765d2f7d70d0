#pragma once

#include "phase/phase.h"

namespace ichor {

/// The node runs: boot sequence finished, every condition met.
class Verify final : public NodePhase {
 public:
  std::string_view name() const override { return "verify"; }
  Reads reads() const override { return {.status = true}; }
  Duration budget(const Budgets& budgets) const override { return budgets.verify; }
  Decision decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const override;
};

/// Whether the status is the goal: running, and nothing unmet but what a cluster without a CNI
/// cannot meet.
bool reached_goal(const ClusterProfile& profile, const MachineStatus& status);

/// "running; unmet: nodeReady (node "cp1" is not ready)".
std::string to_text(const MachineStatus& status);

}  // namespace ichor
