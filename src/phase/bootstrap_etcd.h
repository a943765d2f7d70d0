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
///
/// With a snapshot etcd is restored from it instead of made empty: the journal says so first, the
/// snapshot is uploaded in the boot in which the call is made, and while a restore is not finished
/// no empty etcd is bootstrapped in its place.
class BootstrapEtcd final : public ClusterPhase {
 public:
  explicit BootstrapEtcd(std::optional<Digest> snapshot = std::nullopt) : snapshot_(snapshot) {}

  std::string_view name() const override { return "bootstrap"; }
  Reads reads() const override {
    return {.status = true, .config = true, .disks = true, .time = true, .etcd = true};
  }
  Duration budget(const Budgets& budgets) const override {
    // An upload takes its time, and may be lost once.
    constexpr Duration kUploads = std::chrono::minutes(20);
    return snapshot_ ? budgets.bootstrap + kUploads : budgets.bootstrap;
  }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  /// What a restore demands before anything else is decided; nothing if all is well.
  std::optional<Decision> before_restore(const Wanted& wanted, const ClusterView& view) const;
  /// What is due on the target before the call: nothing, or the upload of the snapshot.
  std::optional<Decision> upload_due(const Wanted& wanted, const NodeView& target) const;

  std::optional<Digest> snapshot_;
};

}  // namespace ichor
