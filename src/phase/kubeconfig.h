#pragma once

#include <optional>

#include "phase/phase.h"

namespace ichor {

inline constexpr std::string_view kKubeconfigPhase = "kubeconfig";

/// Fetches the admin kubeconfig from a control plane that answers; nothing if it already exists.
std::optional<Decision> fetch_kubeconfig(const Wanted& wanted, const ClusterView& view);

/// The admin kubeconfig is written, and the API server answers through it.
class Kubeconfig final : public ClusterPhase {
 public:
  std::string_view name() const override { return kKubeconfigPhase; }
  Reads reads() const override { return {.status = true}; }
  bool needs_api() const override { return true; }
  Duration budget(const Budgets& budgets) const override { return budgets.kubeconfig; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;
};

}  // namespace ichor
