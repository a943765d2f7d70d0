#pragma once

#include "phase/phase.h"

namespace ichor {

/// Is the node there, in a stage from which it can be brought up, and what the profile takes it
/// for? It reports everything that is wrong at once.
class Preflight final : public NodePhase {
 public:
  std::string_view name() const override { return "preflight"; }
  Reads reads() const override {
    return {.status = true, .version = true, .disks = true, .hardware = true, .time = true};
  }
  Duration budget(const Budgets& budgets) const override { return budgets.preflight; }
  Decision decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const override;
};

}  // namespace ichor
