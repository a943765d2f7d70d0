#include <fmt/format.h>
#include <google/protobuf/struct.pb.h>
#include <string>

#include "lab/cosi/kinds.h"
#include "lab/cosi/make.h"
#include "spec_cluster.pb.h"

namespace ichor::lab::makers {

namespace {

constexpr int kApiServerPort = 6443;

spec::MachineKind kind_of(bool control_plane) {
  return control_plane ? spec::KIND_CONTROL_PLANE : spec::KIND_WORKER;
}

const char* type_of(bool control_plane) { return control_plane ? "controlplane" : "worker"; }

yaml::Map control_plane_yaml() { return yaml::map().set("port", kApiServerPort); }

/// What discovery says about a machine.
struct Peer {
  explicit Peer(Machine& machine) : address(machine.home()) {
    const auto config = machine.last_config();
    control_plane = config->control_plane();
    // A machine that is down has no config in force, and Talos would make up a name for it.
    hostname = config->hostname.empty() ? machine.node().hostname().value() : config->hostname;
  }
  std::string hostname;
  std::string address;
  bool control_plane{false};
};

bool has_member(const Sight& sight) {
  return sight.control_plane() && sight.node.disk().etcd_cluster.has_value() &&
         sight.node.etcd_status(kInsider).has_value();
}

/// The labels that Talos and the kubelet put on a Node object.
std::map<std::string, std::string> labels_of(const Sight& sight) {
  std::map<std::string, std::string> labels = sight.config->node_labels;
  labels["beta.kubernetes.io/arch"] = "amd64";
  labels["beta.kubernetes.io/os"] = "linux";
  labels["kubernetes.io/arch"] = "amd64";
  labels["kubernetes.io/hostname"] = sight.hostname;
  labels["kubernetes.io/os"] = "linux";
  if (sight.control_plane()) labels["node-role.kubernetes.io/control-plane"] = "";
  return labels;
}

}  // namespace

void etcd_member(const Sight& sight, Resources& out) {
  if (!has_member(sight)) return;
  spec::EtcdMember message;
  message.set_member_id(fmt::format("{:016x}", sight.node.disk().etcd_member.value()));
  out.push_back(
      make_resource("etcd", "local", message, yaml::map().set("memberID", message.member_id())));
}

void etcd_spec(const Sight& sight, Resources& out) {
  if (!sight.control_plane() || sight.address.empty()) return;
  spec::EtcdSpec message;
  message.set_name(sight.hostname);
  *message.add_advertised_addresses() = net_ip(sight.address);
  *message.add_listen_peer_addresses() = net_ip("::");
  *message.add_listen_client_addresses() = net_ip("::");
  message.set_image("registry.k8s.io/etcd:v3.6.8");
  const std::vector<std::string> any = {"::"};
  out.push_back(make_resource("etcd", "etcd", message,
                              yaml::map()
                                  .set("name", sight.hostname)
                                  .set("advertisedAddresses", yaml::list({sight.address}))
                                  .set("listenPeerAddresses", yaml::list(any))
                                  .set("listenClientAddresses", yaml::list(any))
                                  .set("image", message.image())
                                  .set("extraArgs", yaml::map())));
}

void etcd_pki(const Sight& sight, Resources& out) {
  if (!sight.control_plane()) return;
  spec::EtcdPkiStatus message;
  message.set_ready(true);
  message.set_version("1");
  out.push_back(
      make_resource("etcd", "etcd", message, yaml::map().set("ready", true).set("version", "1")));
}

void members(const Sight& sight, Resources& out) {
  if (!sight.config || !sight.config->discovery) return;
  for (Machine* peer : sight.peers()) {
    const Peer other(*peer);
    spec::Member message;
    message.set_node_id(node_id(*peer));
    *message.add_addresses() = net_ip(other.address);
    message.set_hostname(other.hostname);
    message.set_machine_type(kind_of(other.control_plane));
    message.set_operating_system(operating_system(*peer));
    yaml::Map text;
    text.set("nodeId", message.node_id());
    text.set("addresses", yaml::list({other.address}));
    text.set("hostname", other.hostname);
    text.set("machineType", type_of(other.control_plane));
    text.set("operatingSystem", message.operating_system());
    if (other.control_plane) {
      message.mutable_control_plane()->set_api_server_port(kApiServerPort);
      text.set("controlPlane", control_plane_yaml());
    }
    out.push_back(make_resource("cluster", other.hostname, message, text));
  }
}

void affiliates(const Sight& sight, Resources& out) {
  if (!sight.config) return;
  for (Machine* peer : sight.peers()) {
    if (peer != &sight.machine && !sight.config->discovery) continue;
    const Peer other(*peer);
    spec::Affiliate message;
    message.set_node_id(node_id(*peer));
    *message.add_addresses() = net_ip(other.address);
    message.set_hostname(other.hostname);
    message.set_nodename(other.hostname);
    message.set_operating_system(operating_system(*peer));
    message.set_machine_type(kind_of(other.control_plane));
    yaml::Map text;
    text.set("nodeId", message.node_id());
    text.set("addresses", yaml::list({other.address}));
    text.set("hostname", other.hostname).set("nodename", other.hostname);
    text.set("operatingSystem", message.operating_system());
    text.set("machineType", type_of(other.control_plane));
    if (other.control_plane) {
      message.mutable_control_plane()->set_api_server_port(kApiServerPort);
      text.set("controlPlane", control_plane_yaml());
    }
    out.push_back(make_resource("cluster", message.node_id(), message, text));
  }
}

void cluster_info(const Sight& sight, Resources& out) {
  if (!sight.config) return;
  spec::ClusterInfo message;
  message.set_cluster_id(sight.config->cluster_id);
  message.set_cluster_name(sight.config->cluster_name);
  out.push_back(make_resource("cluster", "current", message,
                              yaml::map()
                                  .set("clusterId", message.cluster_id())
                                  .set("clusterName", message.cluster_name())));
}

void cluster_identity(const Sight& sight, Resources& out) {
  spec::ClusterIdentity message;
  message.set_node_id(node_id(sight.machine));
  out.push_back(
      make_resource("cluster", "local", message, yaml::map().set("nodeId", message.node_id())));
}

void nodename(const Sight& sight, Resources& out) {
  if (!sight.config) return;
  spec::Nodename message;
  message.set_nodename(sight.hostname);
  message.set_hostname_version("1");
  out.push_back(make_resource("k8s", "nodename", message,
                              yaml::map()
                                  .set("nodename", sight.hostname)
                                  .set("hostnameVersion", "1")
                                  .set("skipNodeRegistration", false)));
}

void node_status(const Sight& sight, Resources& out) {
  if (!sight.node_registered()) return;
  spec::NodeStatus message;
  message.set_nodename(sight.hostname);
  message.set_node_ready(sight.node_ready());
  yaml::Map labels;
  for (const auto& [key, value] : labels_of(sight)) {
    (*message.mutable_labels())[key] = value;
    labels.set(key, value);
  }
  out.push_back(make_resource("k8s", sight.hostname, message,
                              yaml::map()
                                  .set("nodename", sight.hostname)
                                  .set("nodeReady", sight.node_ready())
                                  .set("unschedulable", false)
                                  .set("labels", labels)
                                  .set("annotations", yaml::map())
                                  .set("podCIDRs", yaml::list(std::vector<std::string>{}))));
}

void static_pod_status(const Sight& sight, Resources& out) {
  if (!sight.control_plane() || !sight.node.kubelet_running() || !sight.node.api_server_ready()) {
    return;
  }
  bool late = false;
  for (const UnmetCondition& unmet : sight.status.unmet) late |= unmet.name == "staticPods";
  for (const std::string pod : {"kube-apiserver", "kube-controller-manager", "kube-scheduler"}) {
    const bool ready = pod == "kube-apiserver" || !late;
    spec::StaticPodStatus message;
    auto& fields = *message.mutable_pod_status()->mutable_fields();
    fields["phase"].set_string_value("Running");
    auto& condition = *fields["conditions"]
                           .mutable_list_value()
                           ->add_values()
                           ->mutable_struct_value()
                           ->mutable_fields();
    condition["type"].set_string_value("Ready");
    condition["status"].set_string_value(ready ? "True" : "False");
    std::vector<yaml::Node> conditions;
    conditions.push_back(yaml::map().set("status", ready ? "True" : "False").set("type", "Ready"));
    out.push_back(make_resource(
        "k8s", "kube-system/" + pod + "-" + sight.hostname, message,
        yaml::map().set("conditions", yaml::list(std::move(conditions))).set("phase", "Running")));
  }
}

void endpoints(const Sight& sight, Resources& out) {
  if (!sight.config) return;
  std::vector<std::string> found;
  for (Machine* peer : sight.peers()) {
    if (peer->node().api_server_ready()) found.push_back(peer->node().address().value());
  }
  if (found.empty()) return;
  spec::KubernetesEndpoint message;
  for (const std::string& address : found) *message.add_addresses() = net_ip(address);
  out.push_back(make_resource("controlplane", "kube-apiserver", message,
                              yaml::map()
                                  .set("addresses", yaml::list(found))
                                  .set("hosts", yaml::list(std::vector<std::string>{}))));
}

}  // namespace ichor::lab::makers
