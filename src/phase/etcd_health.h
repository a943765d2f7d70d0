#pragma once

#include "phase/phase.h"

namespace ichor {

/// A node tries this long to promote its learner (E7).
inline constexpr Duration kPromotionTime = std::chrono::minutes(10);
/// A voter that has applied so many entries less than another is behind.
inline constexpr std::uint64_t kIndexLag = 5000;

inline constexpr std::string_view kEtcdPhase = "etcd";

/// One etcd cluster, every control plane a voter in it, a leader, no alarms.
class EtcdHealth final : public ClusterPhase {
 public:
  std::string_view name() const override { return kEtcdPhase; }
  Reads reads() const override { return {.etcd_health = true}; }
  Duration budget(const Budgets& budgets) const override { return budgets.etcd; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;
};

/// The same question for phases that need it among others. Looks at control planes only.
Decision decide_etcd_health(const Wanted& wanted, const ClusterView& view);

}  // namespace ichor
