#include "lab/kube/model.h"

#include <algorithm>
#include <fmt/format.h>

#include "lab/cosi/sight.h"
#include "sim/node/digest.h"

namespace ichor::lab {

namespace {

constexpr const char* kAppLabel = "k8s-app";

/// "x7f2k": what Kubernetes puts behind a name to make it its own.
std::string suffix(const std::string& seed, std::size_t length) {
  static constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t bits = sim::head_of(sim::quick_digest(seed));
  std::string text;
  while (text.size() < length) {
    text += letters[bits % letters.size()];
    bits = sim::mix(bits);
  }
  return text;
}

KubeNode node_for(Site& site, Machine& machine, const ConfigView& config) {
  const Sight sight(site, machine);
  KubeNode node;
  node.machine = &machine;
  node.name = config.hostname.empty() ? sight.hostname : config.hostname;
  node.address = machine.home();
  node.version = config.kubernetes_version();
  node.control_plane = config.control_plane();
  node.reporting = sight.node_registered() && machine.node().kubelet_running();
  node.ready = node.reporting && sight.node_ready();
  node.schedules_pods = !node.control_plane || config.schedules_on_control_planes;
  node.labels = config.node_labels;
  node.labels["beta.kubernetes.io/arch"] = "amd64";
  node.labels["beta.kubernetes.io/os"] = "linux";
  node.labels["kubernetes.io/arch"] = "amd64";
  node.labels["kubernetes.io/hostname"] = node.name;
  node.labels["kubernetes.io/os"] = "linux";
  if (node.control_plane) node.labels["node-role.kubernetes.io/control-plane"] = "";
  return node;
}

void add_static_pods(Site& site, const KubeNode& node, KubeView& view) {
  const Sight sight(site, *node.machine);
  bool late = false;
  for (const UnmetCondition& unmet : sight.status.unmet) late |= unmet.name == "staticPods";
  const bool serving = node.machine->node().api_server_ready();
  const auto config = node.machine->last_config();
  for (const std::string name : {"kube-apiserver", "kube-controller-manager", "kube-scheduler"}) {
    KubePod pod;
    pod.name = name + "-" + node.name;
    pod.app_label = kAppLabel;
    pod.app = name;
    pod.node = node.name;
    pod.address = node.address;
    pod.image = config ? config->image_of(name) : std::string();
    pod.is_static = true;
    pod.running = node.reporting;
    pod.ready = node.reporting && serving && (name == "kube-apiserver" || !late);
    view.pods.push_back(std::move(pod));
  }
}

void add_daemon_set(const std::string& name, const std::string& app_label, const std::string& app,
                    const std::string& image, KubeView& view) {
  KubeWorkload set{"DaemonSet", name, app, app_label, 0, 0, image};
  for (const KubeNode& node : view.nodes) {
    KubePod pod;
    pod.name = name + "-" + suffix(name + node.name, 5);
    pod.app_label = app_label;
    pod.app = app;
    pod.node = node.name;
    pod.address = node.address;
    pod.image = image;
    pod.owner_kind = "DaemonSet";
    pod.owner = name;
    pod.running = node.reporting;
    pod.ready = node.reporting;
    ++set.desired;
    set.ready += pod.ready ? 1 : 0;
    view.pods.push_back(std::move(pod));
  }
  view.workloads.push_back(std::move(set));
}

void add_coredns(KubeView& view) {
  constexpr int replicas = 2;
  std::vector<const KubeNode*> places;
  for (const KubeNode& node : view.nodes) {
    if (node.ready) places.push_back(&node);
  }
  constexpr const char* kImage = "registry.k8s.io/coredns/coredns:v1.13.2";
  KubeWorkload deployment{"Deployment", "coredns", "kube-dns", kAppLabel, replicas, 0, kImage};
  const std::string set = "coredns-" + suffix("coredns" + view.cluster_name, 10);
  for (int i = 0; i < replicas; ++i) {
    KubePod pod;
    pod.name = set + "-" + suffix(fmt::format("{}{}", set, i), 5);
    pod.app_label = kAppLabel;
    pod.app = "kube-dns";
    pod.image = kImage;
    pod.owner_kind = "ReplicaSet";
    pod.owner = set;
    if (!places.empty()) {
      const KubeNode& place = *places[static_cast<std::size_t>(i) % places.size()];
      pod.node = place.name;
      pod.address = fmt::format("10.244.0.{}", i + 2);
      pod.running = true;
      pod.ready = true;
      ++deployment.ready;
    }
    view.pods.push_back(std::move(pod));
  }
  view.workloads.push_back(std::move(deployment));
}

}  // namespace

KubeView view_cluster(Site& site, const Machine& machine) {
  KubeView view;
  const auto config = machine.config();
  if (!config) return view;
  view.cluster_name = config->cluster_name;
  const std::string server = config->image_of("kube-apiserver");
  view.version = server.substr(server.rfind(':') + 1);
  view.service_network = config->service_subnets.front();
  for (const auto& other : site.machines()) {
    const auto theirs = other->last_config();
    if (!theirs || theirs->cluster_id != config->cluster_id) continue;
    // A node that registered in an earlier boot has its object still.
    const bool registered =
        Sight(site, *other).node_registered() || other->node().disk().kubelet_registered;
    if (registered) view.nodes.push_back(node_for(site, *other, *theirs));
  }
  std::sort(view.nodes.begin(), view.nodes.end(),
            [](const KubeNode& a, const KubeNode& b) { return a.name < b.name; });
  for (const KubeNode& node : view.nodes) {
    if (node.control_plane) add_static_pods(site, node, view);
  }
  if (!config->proxy_disabled) {
    add_daemon_set("kube-proxy", kAppLabel, "kube-proxy", config->image_of("kube-proxy"), view);
  }
  if (config->cni == "flannel") {
    add_daemon_set("kube-flannel", kAppLabel, "flannel", "ghcr.io/siderolabs/flannel:v0.27.4",
                   view);
  }
  if (!config->coredns_disabled) add_coredns(view);
  std::sort(view.pods.begin(), view.pods.end(),
            [](const KubePod& a, const KubePod& b) { return a.name < b.name; });
  return view;
}

}  // namespace ichor::lab
