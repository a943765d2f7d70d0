#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"
#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "model/decision.h"
#include "model/journal_facts.h"
#include "model/node_view.h"

namespace ichor {

/// What a decision may rest on besides what was just seen.
struct Wanted {
  const ClusterProfile& profile;
  const ConfigSet& configs;
  const JournalFacts& facts;
  MonoTime now;
};

/// A step on the way from bare machines to a cluster that GitOps runs. A phase is stateless;
/// everything it knows comes in by argument, so one that was interrupted is simply asked again.
class Phase {
 public:
  virtual ~Phase() = default;
  virtual std::string_view name() const = 0;  // "apply"
};

/// A step on the nodes. The engine observes what `reads` names, asks `decide`, does what it says,
/// and looks again until Satisfied or Stop or the budget is used up. So acting and confirming are
/// the same loop.
class TalosPhase : public Phase {
 public:
  virtual Reads reads() const = 0;
  virtual Duration budget(const Budgets& budgets) const = 0;
};

/// Runs once per node, all nodes side by side.
class NodePhase : public TalosPhase {
 public:
  virtual Decision decide(const Wanted& wanted, const NodePlan& plan,
                          const NodeView& view) const = 0;
};

/// Runs once for the cluster and looks at several nodes at once.
class ClusterPhase : public TalosPhase {
 public:
  virtual bool looks_at_workers() const { return false; }
  virtual bool needs_api() const { return false; }
  virtual Decision decide(const Wanted& wanted, const ClusterView& view) const = 0;
  /// What is unmet on one of the nodes; empty if it is not the one that keeps the cluster waiting.
  virtual std::string unmet_on(const Wanted&, const NodeView&) const { return {}; }
};

/// How long after a mutation was sent the node may still look as if nothing had happened. Within it
/// the answer to "did it take?" is unknown, so nothing is sent again.
inline constexpr Duration kSettleTime = std::chrono::seconds(45);

/// An observation older than this is no basis for a bootstrap.
inline constexpr Duration kFreshTime = std::chrono::seconds(60);

/// The decisions that every phase shares: nothing answers, another PKI, another machine. Nullopt
/// when the node is there and ours (or unclaimed), so that the phase itself decides.
std::optional<Decision> decide_presence(const NodePlan& plan, const NodeView& view);

/// `trouble` as a wait: what failed, and the catalogue's hint.
Wait wait_for_node(const NodePlan& plan, const NodeView& view);

}  // namespace ichor
