#pragma once

#include "phase/phase.h"
#include "phase/upgrade_plan.h"

namespace ichor {

/// A snapshot of etcd, taken and proved whole before an upgrade changes the first node. One that an
/// interrupted run of the same upgrade took is good for those that go on with it.
class TakeSnapshot final : public ClusterPhase {
 public:
  explicit TakeSnapshot(UpgradePlan plan) : plan_(std::move(plan)) {}
  std::string_view name() const override { return "snapshot"; }
  bool looks_at_workers() const override { return true; }
  Reads reads() const override;
  Duration budget(const Budgets& budgets) const override;
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  UpgradePlan plan_;
};

/// How long a snapshot may take: half an hour, and what the stream itself allows; see talos/rpc.h.
inline constexpr Duration kSnapshotTime = std::chrono::minutes(31);

/// The path in JournalFacts::snapshot(), if that one was taken before an upgrade to this version;
/// else empty.
std::string snapshot_before(const JournalFacts& facts, const TalosVersion& target);

}  // namespace ichor
