#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "async/clock.h"
#include "lab/kube/flux.h"
#include "lab/kube/model.h"
#include "lab/kube/objects.h"
#include "lab/kube/workloads.h"
#include "sim/kube/api_server.h"
#include "sim/kube/controllers.h"

namespace ichor::lab {

/// The Kubernetes of one of the lab's clusters: the API server of sim/kube, whose nodes and system
/// pods follow the machines and whose other objects clients write. Its data lives as long as the
/// lab runs and one machine of the cluster keeps its disk.
class KubeCluster {
 public:
  KubeCluster(Clock& clock, std::string kubernetes_version);
  KubeCluster(const KubeCluster&) = delete;
  KubeCluster& operator=(const KubeCluster&) = delete;

  sim::ApiServer& api() { return api_; }
  const sim::ApiServer& api() const { return api_; }
  const std::string& version() const { return version_; }
  Workloads& workloads() { return workloads_; }

  /// Takes over what follows from the machines now. What a client changed of it stays, until the
  /// machines say something else.
  void follow(std::vector<KubeObject> now);
  std::function<void()> refresh;  // brings it up to date
  /// Moves the pods of the view away from nodes that they were evicted from.
  void displace(KubeView& view);
  /// Starts the pods of the view again whose image has changed: a static pod by its node's config,
  /// one of a DaemonSet by the template that a client may have changed.
  void restart(KubeView& view);

 private:
  void evict(const KubeRef& pod);

  Clock& clock_;
  std::string version_;
  sim::ApiServer api_;
  sim::Controllers controllers_;
  std::map<KubeRef, nlohmann::json> followed_;  // as they were made
  /// Nodes from which pods of the view were evicted, until they are uncordoned.
  std::set<std::string> avoided_;
  /// What each pod of the view runs, and since when.
  struct Running {
    std::string image;
    MonoTime since{};
  };
  std::map<std::string, Running> running_;
  Workloads workloads_;
  Flux flux_;
};

}  // namespace ichor::lab
