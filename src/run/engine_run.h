#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cluster/workspace.h"
#include "engine/dry_run.h"
#include "engine/planner.h"
#include "engine/world.h"
#include "model/run_result.h"
#include "port/host.h"
#include "run/kubernetes_run.h"
#include "run/run_turn.h"

namespace ichor {

/// Which steps of the sequence a command runs, and whether it may change nodes.
struct EngineOptions {
  std::vector<std::string_view> phases;  // empty: all of them
  bool changes_nodes{true};
  std::vector<Step> steps{};  // instead of the sequence's, if there are any
  bool adopt{false};          // go on with a cluster that the journal has not made
  bool offline{false};        // for plans
  /// The Kubernetes phases of the run; null: it ends with the nodes.
  KubernetesPart* kubernetes{nullptr};
  const RunTurn* turn{nullptr};  // of a run that has other parts; null: a run of its own
  bool goes_on{false};           // another part follows
  /// What a restore of etcd uploads; null: nothing is restored.
  const ByteSource* snapshot{nullptr};
  NodeDrain* drain{nullptr};  // of an upgrade
  /// As in World: for steps that take a snapshot of etcd.
  std::function<Task<CallResult<std::string>>(Context, TalosSession&, const NodeName&)>
      keep_snapshot{};
};

/// Runs the engine on the workspace's cluster, to its end or until a signal.
RunResult run_engine(const ClusterProfile& profile, Workspace& space, const EngineOptions& options,
                     Host& host);

/// Runs Kubernetes phases alone, on nodes that were verified before, under the same lock and in the
/// same journal, and shows what came of them.
RunResult run_kubernetes(const ClusterProfile& profile, ClusterState& state, KubernetesWork& work,
                         Host& host);

/// The world as a command sees it that changes nothing: every mutation is refused, and where there
/// is no state folder nothing is remembered. The workspace must outlive it.
class ReadOnlyWorld {
 public:
  ReadOnlyWorld(Workspace& space, Host& host);
  World& world() { return *world_; }

 private:
  DryRunTalos talos_;
  Turnstile openings_;
  std::unique_ptr<Journal> no_journal_;
  std::unique_ptr<Artifacts> no_files_;
  std::optional<World> world_;
};

/// One look at everything; again, up to `tries` times, while a node is silent. Ends only by a
/// signal.
OrEnd<ClusterView> look_around(const ClusterProfile& profile, Workspace& space, Host& host,
                               int tries = 1, NodeDrain* drain = nullptr);

/// What run_engine would do. With options.offline no node is asked: all of it is assumed.
OrEnd<RunPlan> make_plan(const ClusterProfile& profile, Workspace& space,
                         const EngineOptions& options, Host& host);

}  // namespace ichor
