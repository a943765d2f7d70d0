#pragma once

#include "phase/phase.h"

namespace ichor {

/// How long a node that got the bootstrap call may take to pull etcd's image.
inline constexpr Duration kPullTime = std::chrono::minutes(5);

/// Bootstraps etcd, once per cluster.
///
/// Talos' own guard is local to one node: nothing on the servers stops two control planes from
/// being bootstrapped into two clusters. So the call is made only when every planned control plane
/// has just said that it has no etcd data, always to the machine that the journal names, and never
/// again while an earlier call may still take effect.
class BootstrapEtcd final : public ClusterPhase {
 public:
  std::string_view name() const override { return "bootstrap"; }
  Reads reads() const override {
    return {.status = true, .config = true, .disks = true, .time = true, .etcd = true};
  }
  Duration budget(const Budgets& budgets) const override { return budgets.bootstrap; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;
};

}  // namespace ichor
