#pragma once

#include "phase/phase.h"

namespace ichor {

/// The node left maintenance mode with a config of this cluster, and nothing is unmet but what
/// needs an etcd that is not bootstrapped yet. What `verify` can ask before bootstrap; a
/// control plane that has etcd data must run instead.
class Configured final : public NodePhase {
 public:
  std::string_view name() const override { return "verify"; }
  Reads reads() const override { return {.status = true, .etcd = true}; }
  Duration budget(const Budgets& budgets) const override { return budgets.verify; }
  Decision decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const override;
};

/// Whether etcd was bootstrapped, or may have been, as far as the journal tells.
bool may_have_etcd(const ClusterProfile& profile, const JournalFacts& facts);

}  // namespace ichor
