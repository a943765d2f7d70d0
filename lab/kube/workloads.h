#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "async/clock.h"
#include "sim/kube/api_server.h"
#include "sim/kube/controllers.h"

namespace ichor::lab {

/// What controllers, the scheduler and kubelets together make of the Deployments, DaemonSets and
/// StatefulSets that clients write: pods that are made, placed on nodes and become ready after a
/// while, and the status of the set. No container runs.
class Workloads {
 public:
  using Object = nlohmann::json;

  /// `is_foreign` says which sets another controller looks after.
  Workloads(sim::ApiServer& api, Clock& clock, std::function<bool(const KubeRef&)> is_foreign);

  /// Something about the nodes changed.
  void look_at_all();
  /// The pod leaves its node, and its set makes another one.
  void evict(const KubeRef& pod);
  /// Called when the nodes on which a DaemonSet's pods are ready have changed.
  std::function<void(const KubeRef& set, const std::vector<std::string>& nodes)> on_ready;

 private:
  struct Set {
    std::int64_t generation{0};
    std::map<std::string, MonoTime> ready_at;  // of pods that have a place, by name
    std::vector<std::string> ready_nodes;
    std::map<std::size_t, std::string> places;  // nodes of pods, by their number in the set
    std::map<std::size_t, int> evictions;
  };
  struct Wanted {
    std::string name;
    std::string node;  // empty: there is none for it
  };

  void look_soon(const KubeRef& ref, Duration delay);
  void look(const KubeRef& ref);
  std::vector<Wanted> wanted_pods(const KubeRef& ref, const Object& object, Set& set) const;
  void forget_pods(const KubeRef& ref, Set& set, const std::vector<Wanted>& kept);
  void publish(const KubeRef& ref, const Object& object, std::int64_t wanted, std::int64_t ready);

  sim::ApiServer& api_;
  Clock& clock_;
  std::function<bool(const KubeRef&)> is_foreign_;
  sim::Later later_;
  std::map<KubeRef, Set> sets_;
};

}  // namespace ichor::lab
