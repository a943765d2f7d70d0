#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/kube/api_server.h"
#include "sim/kube/controllers.h"
#include "sim/kube/flux.h"
#include "sim/kube/gauge.h"
#include "sim/kube/helm.h"
#include "sim/kube/kubelets.h"
#include "sim/kube/stack.h"
#include "sim/kube/workloads.h"
#include "sim/node/node.h"
#include "sim/seeded_random.h"

namespace ichor::sim {

/// A workload of the operator's with three pods, of which a PodDisruptionBudget lets one go.
inline constexpr const char* kWorkload = "web";
inline constexpr const char* kWorkloadSpace = "apps";

/// The Kubernetes cluster that the machines of a seed make, and the truth about it. Its API server
/// answers as long as one of a control plane does; its data is etcd's and outlives every process.
class SimKubernetes {
 public:
  using Nodes = std::vector<std::unique_ptr<Node>>;
  SimKubernetes(Clock& clock, Fabric& fabric, const Nodes& nodes, const KubeStack& stack,
                SeededRandom random);

  void node_changed(std::size_t index);

  /// The operator deploys kWorkload.
  void deploy_workload();

  /// Whether an API server answers; a fault may keep everybody from it.
  bool up() const { return serving_ != nullptr && !cut_; }
  void cut(bool off);

  ApiServer& api() { return api_; }
  const ApiServer& api() const { return api_; }
  Controllers& controllers() { return controllers_; }
  Kubelets& kubelets() { return kubelets_; }
  const Kubelets& kubelets() const { return kubelets_; }
  Workloads& workloads() { return workloads_; }
  const Workloads& workloads() const { return workloads_; }
  Helm& helm() { return helm_; }
  const Helm& helm() const { return helm_; }
  Flux& flux() { return flux_; }
  const Flux& flux() const { return flux_; }
  const KubeStack& stack() const { return stack_; }

  // --- the truth, for checkers

  /// An object of phase 0 or 1 that ichor wants is there as it is wanted.
  bool as_wanted(const KubeObject& wanted) const;
  /// Everything that phase 0 wants, since a moment.
  bool secrets_held(MonoTime from) const;
  bool crds_established() const;
  /// A release is deployed as wanted and its workloads run.
  bool release_works(const std::string& release, MonoTime from) const;

  /// What a CoreDNS pod answers; nothing if it cannot be reached.
  std::optional<std::string> resolve(const std::string& pod, const std::string& question) const;

 private:
  void on_change(const KubeRef& ref);
  void follow_network(const Workloads::Workload& cilium);
  void boot();

  Clock& clock_;
  Fabric& fabric_;
  const Nodes& nodes_;
  const KubeStack& stack_;
  ApiServer api_;
  Controllers controllers_;
  Kubelets kubelets_;
  Workloads workloads_;
  Helm helm_;
  Flux flux_;
  Later later_;
  const Node* serving_{nullptr};
  bool cut_{false};
  bool booted_{false};
  std::vector<BootId> boots_;
  std::vector<bool> had_kubelet_;
  std::vector<bool> network_;
  Gauge secrets_;
};

}  // namespace ichor::sim
