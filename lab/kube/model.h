#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/site.h"

namespace ichor::lab {

/// What Kubernetes knows about a machine that has registered.
struct KubeNode {
  Machine* machine{nullptr};
  std::string name;
  std::string address;
  std::string version;  // of the kubelet, "v1.35.2"
  bool control_plane{false};
  bool reporting{false};  // its kubelet is alive
  bool ready{false};
  bool schedules_pods{true};  // no taint keeps ordinary pods away
  std::map<std::string, std::string> labels;
};

struct KubePod {
  std::string name;
  std::string app_label;  // "k8s-app" or another key
  std::string app;
  std::string node;     // empty while it is pending
  std::string address;  // of the node: all that run early use its network
  std::string image;
  bool is_static{false};
  std::string owner_kind;  // "DaemonSet", "ReplicaSet"; empty: the node itself
  std::string owner;
  bool running{false};
  bool ready{false};
};

/// A set of pods that a workload asks for.
struct KubeWorkload {
  std::string kind;  // "DaemonSet" or "Deployment"
  std::string name;
  std::string app;
  std::string app_label;
  int desired{0};
  int ready{0};
  std::string image{};
};

/// A cluster as its API shows it. All of it follows from the machines; nothing can be written.
struct KubeView {
  std::string cluster_name;
  std::string version;  // of the API server that is asked
  std::string service_network;
  std::vector<KubeNode> nodes;  // sorted by name
  std::vector<KubePod> pods;    // all in kube-system, sorted by name
  std::vector<KubeWorkload> workloads;
};

/// The cluster that `machine`, a control plane with a config, belongs to.
KubeView view_cluster(Site& site, const Machine& machine);

}  // namespace ichor::lab
