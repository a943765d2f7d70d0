#pragma once

#include "model/removed_record.h"
#include "phase/phase.h"

namespace ichor {

/// Notes in the journal that a node was removed, so that another machine can take its name. The
/// last step of a removal; sends nothing.
class ForgetMachine final : public ClusterPhase {
 public:
  explicit ForgetMachine(NodeName node) : node_(std::move(node)) {}

  std::string_view name() const override { return "forget-machine"; }
  Reads reads() const override { return {}; }
  Duration budget(const Budgets& budgets) const override { return budgets.etcd; }
  Decision decide(const Wanted& wanted, const ClusterView&) const override {
    if (!wanted.facts.bound(node_)) return Satisfied{};
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.node = node_;
    record.key = kRemovedKey;
    return Remember{std::move(record)};
  }

 private:
  NodeName node_;
};

}  // namespace ichor
