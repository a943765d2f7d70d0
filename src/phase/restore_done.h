#pragma once

#include "phase/phase.h"

namespace ichor {

/// Notes in the journal that no restore of etcd is under way any more: it was proved, or the
/// operator gave it up. Sends nothing.
class RestoreDone final : public ClusterPhase {
 public:
  std::string_view name() const override { return "restored"; }
  Reads reads() const override { return {}; }
  Duration budget(const Budgets& budgets) const override { return budgets.etcd; }
  Decision decide(const Wanted& wanted, const ClusterView&) const override {
    if (!wanted.facts.restoring()) return Satisfied{};
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.key = kRestoreKey;
    return Remember{std::move(record)};
  }
};

}  // namespace ichor
