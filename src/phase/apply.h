#pragma once

#include "phase/phase.h"

namespace ichor {

/// Brings the node's config onto the node and waits until it has left installation with it. A node
/// that runs exactly this config is left alone; one that runs another is not touched.
class Apply final : public NodePhase {
 public:
  std::string_view name() const override { return "apply"; }
  std::string_view title() const override { return "Apply machine configs"; }
  Reads reads() const override { return {.status = true, .config = true}; }
  Duration budget(const Budgets& budgets) const override { return budgets.apply; }
  Decision decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const override;
};

}  // namespace ichor
