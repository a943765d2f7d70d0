#pragma once

#include <set>
#include <vector>

#include "phase/phase.h"

namespace ichor {

/// What an operator wants to be taken back.
struct ResetPlan {
  std::set<NodeName> nodes;
  bool whole_cluster{false};  // named as such by the operator: no quorum is left to keep
  ResetRequest request;
};

/// How long a node that said yes to a reset may take to leave: it drains its pods first.
inline constexpr Duration kDrainTime = std::chrono::minutes(6);

/// Takes nodes back to maintenance mode, workers side by side and control planes one after another.
///
/// It destroys data, so it goes only to a machine whose system disk the operator named by its
/// serial; and unless the whole cluster goes, a control plane is reset only while the others are a
/// healthy majority without it.
class Reset final : public ClusterPhase {
 public:
  explicit Reset(ResetPlan plan) : plan_(std::move(plan)) {}

  std::string_view name() const override { return "reset"; }
  bool looks_at_workers() const override { return true; }
  Reads reads() const override {
    return {.status = true, .disks = true, .hardware = true, .etcd_health = true};
  }
  Duration budget(const Budgets& budgets) const override;
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  /// How far a node is, and what it waits for.
  struct Progress {
    enum class Kind { to_do, under_way, told, done };
    Kind kind{Kind::to_do};
    std::string reason;
  };
  Progress progress(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const;
  bool leaves_maintenance_behind() const;
  std::optional<Stop> find_refusals(const Wanted& wanted, const ClusterView& view) const;
  std::optional<std::string> quorum_unmet(const Wanted& wanted, const ClusterView& view,
                                          const NodeName& node) const;

  ResetPlan plan_;
};

/// The operator's word that the node may be wiped, or why it does not count.
std::optional<Finding> missing_consent(const Wanted& wanted, const NodePlan& plan,
                                       const NodeView& view);

}  // namespace ichor
