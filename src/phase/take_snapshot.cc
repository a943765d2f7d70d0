#include "phase/take_snapshot.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/etcd_report.h"
#include "phase/upgrade_node.h"

namespace ichor {

std::string snapshot_before(const JournalFacts& facts, const TalosVersion& target) {
  const std::string of = to_text(target) + " ";
  const std::string* taken = facts.snapshot();
  return taken && taken->starts_with(of) ? taken->substr(of.size()) : std::string();
}

Reads TakeSnapshot::reads() const {
  return {.status = true,
          .version = true,
          .etcd_health = true,
          .upgrade = true,
          .kube_node = plan_.drain};
}

Duration TakeSnapshot::budget(const Budgets& budgets) const { return kSnapshotTime + budgets.etcd; }

Decision TakeSnapshot::decide(const Wanted& wanted, const ClusterView& view) const {
  const bool all_done = std::all_of(view.nodes.begin(), view.nodes.end(), [&](const auto& node) {
    return !plan_.nodes.contains(node.node) ||
           NodeUpgrade(plan_, wanted, *wanted.profile.find(node.node), node).done();
  });
  if (all_done) return Satisfied{{}, "no node is changed"};
  const std::string taken = snapshot_before(wanted.facts, plan_.target);
  if (!taken.empty() && taken != plan_.lost_snapshot) {
    return Satisfied{{}, "this upgrade has one: " + taken};
  }
  const NodeView* source = snapshot_source(view);
  if (!source) {
    return Wait{"no control plane has a member of etcd that a snapshot can be taken from", "E8",
                "nothing was changed. `ichor etcd status` shows what is wrong; "
                "`ichor upgrade --no-snapshot` goes on without a snapshot",
                wanted.profile.budgets.preflight};
  }
  NodeCall take{Call::etcd_snapshot, source->node, {}, "before the first node is changed", kNever};
  take.purpose = to_text(plan_.target);
  return Act{std::move(take)};
}

}  // namespace ichor
