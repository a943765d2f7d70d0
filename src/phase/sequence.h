#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "phase/phase.h"

namespace ichor {

class KubernetesPhase;

/// Points in the run that one part of the cluster reaches and others wait for.
enum class Milestone {
  none,
  control_planes_configured,  // every control plane runs its config
  etcd_bootstrapped,
  etcd_healthy,
  api_answers,
  nodes_verified,
  cluster_ready,
  // of an upgrade
  upgrade_checked,
  images_pulled,
  control_planes_upgraded,
  nodes_upgraded,
};

std::string_view name_of(Milestone milestone);

/// `kubernetes` is the cluster too, by its objects instead of its nodes.
enum class Who { every_node, control_planes, workers, cluster, kubernetes };

/// One entry of the sequence. `reaches` is a barrier: it opens when all of `who` have passed the
/// step, and breaks when one of them cannot.
struct Step {
  std::shared_ptr<const Phase> phase;
  Who who{Who::every_node};
  Milestone needs{Milestone::none};
  Milestone reaches{Milestone::none};
  bool limited{false};  // takes a place in the turnstile (`--order`, `--concurrency`)
  /// `reaches` is that of a step that was left out: it keeps the order and is true of nothing.
  bool stands_in{false};
  /// One that cannot pass it keeps those away that have not started it.
  bool first_failure_stops{false};
};

/// The complete line in order, from the first look at the machines to the handover to GitOps; the
/// Kubernetes phases are part of it where the profile has them. Steps of one node run in this
/// order; steps of different nodes, and of the cluster, run side by side as their milestones allow.
std::vector<Step> bring_up(const ClusterProfile& profile);

/// The same without the Kubernetes phases, and with an etcd that is restored from this snapshot
/// where it would be bootstrapped empty.
std::vector<Step> bring_up_from(const ClusterProfile& profile, const Digest& snapshot);

/// The order in which steps come when all of them pass: none before its milestone is reached, and
/// none before an earlier one of the same node or of the cluster.
std::vector<Step> in_execution_order(std::vector<Step> steps);

/// The Kubernetes phases from `first` to `last`, for a run on nodes that were verified before.
std::vector<Step> kubernetes_steps(int first, int last);

/// The Kubernetes phases among the steps, in order.
std::vector<const KubernetesPhase*> kubernetes_phases(const std::vector<Step>& steps);

/// The steps of the named phases, in their order. A milestone that a left-out step would reach is
/// reached by the last step before it that is kept, so that the order stays; if there is none,
/// no step waits for it. That what was left out is true is for the phases to see.
std::vector<Step> only(std::vector<Step> steps, const std::vector<std::string_view>& phases);

}  // namespace ichor
