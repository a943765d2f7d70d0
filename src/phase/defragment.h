#pragma once

#include <cstdint>
#include <map>

#include "phase/phase.h"

namespace ichor {

/// Which members are defragmented.
struct DefragmentPlan {
  /// By node: the journal's last intent of an earlier run to do so, or zero, which does not count.
  std::map<NodeName, std::uint64_t> nodes;
};

/// Frees what etcd's databases no longer use, one member at a time and the leader last: a member
/// does not answer while it copies its database. The next one comes only while all members are
/// healthy voters; the NOSPACE alarm, which this is the remedy for, does not count. A member that
/// would free less than a tenth of its database is left alone.
class Defragment final : public ClusterPhase {
 public:
  explicit Defragment(DefragmentPlan plan) : plan_(std::move(plan)) {}

  std::string_view name() const override { return "defragment"; }
  Reads reads() const override { return {.status = true, .etcd_health = true}; }
  Duration budget(const Budgets& budgets) const override { return budgets.etcd; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  /// The call that this run sent to the node; null before the first.
  const MutationFact* sent_to(const Wanted& wanted, const NodeName& node) const;
  bool is_done(const Wanted& wanted, const NodeView& node) const;

  DefragmentPlan plan_;
};

}  // namespace ichor
