#pragma once

#include "phase/phase.h"

namespace ichor {

/// The admin kubeconfig is written, and the API server answers through it.
class Kubeconfig final : public ClusterPhase {
 public:
  std::string_view name() const override { return "kubeconfig"; }
  std::string_view title() const override { return "Fetch kubeconfig"; }
  Reads reads() const override { return {.status = true}; }
  bool needs_api() const override { return true; }
  Duration budget(const Budgets& budgets) const override { return budgets.kubeconfig; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;
};

}  // namespace ichor
