#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/kube/api_server.h"
#include "sim/kube/controllers.h"
#include "sim/kube/gauge.h"
#include "sim/kube/kubelets.h"
#include "sim/seeded_random.h"

namespace ichor::sim {

/// What the controllers of Deployments and DaemonSets, the scheduler and the kubelets together make
/// of a workload: pods that are made, start, run, crash or wait for a node. Pods are objects only
/// when a client lists them.
class Workloads {
 public:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  struct Pod {
    std::string name;
    std::size_t node{kNowhere};
    std::int64_t generation{0};  // of the template that it was made from
    bool started{false};
    std::uint64_t starts{0};
  };
  struct Workload {
    KubeRef ref;
    bool on_every_node{false};
    bool host_network{false};
    std::int64_t generation{0};  // that the controller has seen
    std::string label;
    std::vector<Pod> pods;
    Gauge ready;
  };

  Workloads(ApiServer& api, Clock& clock, Kubelets& kubelets, std::size_t nodes,
            SeededRandom random);

  const Workload* find(const KubeRef& ref) const;
  const Workload* find(const std::string& name) const;
  bool runs(const Workload& workload, const Pod& pod) const;
  /// A node was heard of, was lost, or its kubelet started again.
  void node_changed(std::size_t index);
  void node_restarted(std::size_t index);
  /// A pod leaves its node: another one takes its place.
  void evict(const KubeRef& pod);
  /// Called when the pods of a workload that run have changed.
  std::function<void(const Workload&)> changed;

  // --- what goes wrong; empty and kNowhere: nothing does
  /// The pods of this workload crash; with a node, those on it only.
  void crash(const std::string& workload, std::size_t node = kNowhere);
  /// Its pod on this node does not start.
  void hold(const std::string& workload, std::size_t node);
  void recover();

 private:
  void on_change(const KubeRef& ref, const KubeObject* now);
  void observe(const KubeRef& ref);
  void place(Workload& workload, Pod& pod);
  void start(Workload& workload, Pod& pod);
  void publish(Workload& workload);
  void list_pods(std::vector<KubeObject>& pods) const;
  bool broken(const Workload& workload, const Pod& pod) const;
  Workload* find_mutable(const KubeRef& ref);
  std::size_t node_for(const Workload& workload, std::size_t pod) const;

  ApiServer& api_;
  Clock& clock_;
  Kubelets& kubelets_;
  std::size_t nodes_;
  SeededRandom random_;
  Later later_;
  std::vector<Workload> workloads_;
  std::uint64_t names_{0};
  std::string crashing_, held_;
  std::size_t crashing_on_{kNowhere}, held_on_{kNowhere};
};

}  // namespace ichor::sim
