#include "lab/config/config_view.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>

#include "secrets/base64.h"
#include "yaml/document.h"

namespace ichor::lab {

namespace {

using yaml::Node;
using Path = std::initializer_list<std::string_view>;

std::string text_at(const Node& node, Path path) {
  const Node* found = node.find_path(path);
  if (found == nullptr) return "";
  const auto text = found->as_text();
  return text ? std::string(*text) : "";
}

bool flag_at(const Node& node, Path path) {
  const Node* found = node.find_path(path);
  return found != nullptr && found->as_bool().value_or(false);
}

std::vector<std::string> list_at(const Node& node, Path path) {
  std::vector<std::string> texts;
  if (const Node* found = node.find_path(path)) {
    for (const Node& item : found->items) {
      if (const auto text = item.as_text()) texts.emplace_back(*text);
    }
  }
  return texts;
}

void replace_if_given(std::vector<std::string>& value, std::vector<std::string> given) {
  if (!given.empty()) value = std::move(given);
}

std::string pem_at(const Node& node, Path path) {
  return pki::from_base64(text_at(node, path)).value_or("");
}

/// "10.5.0.2/24" or "10.5.0.2".
void take_address(ConfigView& view, std::string_view text, const std::string& link) {
  if (!view.address.empty() || text.empty()) return;
  // No client reaches a node at the addresses of its lo, such as 169.254.116.108 for the resolver.
  const bool of_node_alone = link == "lo" || text.starts_with("127.") ||
                             text.starts_with("169.254.") || text.starts_with("fe80:") ||
                             text.starts_with("::1");
  if (of_node_alone) return;
  const std::size_t slash = text.find('/');
  view.address = text.substr(0, slash);
  view.prefix_length = view.address.find(':') == std::string::npos ? 32 : 128;
  if (slash != text.npos) {
    std::from_chars(text.data() + slash + 1, text.data() + text.size(), view.prefix_length);
  }
  view.link = link;
}

void read_interface(ConfigView& view, const Node& interface, const std::string& link) {
  for (const std::string& address : list_at(interface, {"addresses"})) {
    take_address(view, address, link);
  }
  take_address(view, text_at(interface, {"cidr"}), link);
  if (view.vip.empty()) view.vip = text_at(interface, {"vip", "ip"});
  if (const Node* vlans = interface.find("vlans")) {
    for (const Node& vlan : vlans->items) {
      read_interface(view, vlan, link + "." + text_at(vlan, {"vlanId"}));
    }
  }
}

void read_machine(ConfigView& view, const Node& machine) {
  view.machine_type = text_at(machine, {"type"});
  view.token = text_at(machine, {"token"});
  view.os_ca.certificate = pem_at(machine, {"ca", "crt"});
  view.os_ca.key = SecretString(pem_at(machine, {"ca", "key"}));
  if (const Node* accepted = machine.find("acceptedCAs")) {
    for (const Node& authority : accepted->items) {
      view.accepted_cas.push_back(pem_at(authority, {"crt"}));
    }
  }
  view.cert_sans = list_at(machine, {"certSANs"});
  view.kubelet_image = text_at(machine, {"kubelet", "image"});
  view.install_image = text_at(machine, {"install", "image"});
  if (const Node* labels = machine.find("nodeLabels")) {
    for (const yaml::Entry& label : labels->entries) {
      view.node_labels[label.key.text] = label.value.text;
    }
  }
  const Node* network = machine.find("network");
  if (network != nullptr) {
    view.hostname = text_at(*network, {"hostname"});
    view.nameservers = list_at(*network, {"nameservers"});
    if (const Node* interfaces = network->find("interfaces")) {
      for (const Node& interface : interfaces->items) {
        read_interface(view, interface, text_at(interface, {"interface"}));
      }
    }
  }
  view.time_servers = list_at(machine, {"time", "servers"});
}

void read_cluster(ConfigView& view, const Node& cluster) {
  view.has_cluster = true;
  view.cluster_id = text_at(cluster, {"id"});
  view.cluster_secret = text_at(cluster, {"secret"});
  view.bootstrap_token = text_at(cluster, {"token"});
  view.cluster_name = text_at(cluster, {"clusterName"});
  view.endpoint = text_at(cluster, {"controlPlane", "endpoint"});
  view.kubernetes_ca.certificate = pem_at(cluster, {"ca", "crt"});
  view.kubernetes_ca.key = SecretString(pem_at(cluster, {"ca", "key"}));
  view.api_cert_sans = list_at(cluster, {"apiServer", "certSANs"});
  view.images["kube-apiserver"] = text_at(cluster, {"apiServer", "image"});
  view.images["kube-controller-manager"] = text_at(cluster, {"controllerManager", "image"});
  view.images["kube-scheduler"] = text_at(cluster, {"scheduler", "image"});
  view.images["kube-proxy"] = text_at(cluster, {"proxy", "image"});
  if (const std::string cni = text_at(cluster, {"network", "cni", "name"}); !cni.empty()) {
    view.cni = cni;
  }
  if (const std::string domain = text_at(cluster, {"network", "dnsDomain"}); !domain.empty()) {
    view.dns_domain = domain;
  }
  replace_if_given(view.pod_subnets, list_at(cluster, {"network", "podSubnets"}));
  replace_if_given(view.service_subnets, list_at(cluster, {"network", "serviceSubnets"}));
  view.proxy_disabled = flag_at(cluster, {"proxy", "disabled"});
  view.coredns_disabled = flag_at(cluster, {"coreDNS", "disabled"});
  view.discovery = flag_at(cluster, {"discovery", "enabled"});
  view.schedules_on_control_planes = flag_at(cluster, {"allowSchedulingOnControlPlanes"}) ||
                                     flag_at(cluster, {"allowSchedulingOnMasters"});
}

std::string text_or_empty(const Node& document, Path path, const std::string& otherwise) {
  const std::string text = text_at(document, path);
  return text.empty() ? otherwise : text;
}

pki::CertificateAndKey authority_at(const Node& document) {
  pki::CertificateAndKey authority;
  authority.certificate = text_at(document, {"issuingCA", "cert"});
  authority.key = SecretString(text_at(document, {"issuingCA", "key"}));
  const Node* accepted = document.find("acceptedCAs");
  if (authority.certificate.empty() && accepted != nullptr && !accepted->items.empty()) {
    authority.certificate = accepted->items.front().text;
  }
  return authority;
}

/// The documents of 1.14 that say what `cluster` and `machine.kubelet` said before.
void read_kubernetes_document(ConfigView& view, const std::string& kind, const Node& document) {
  constexpr std::string_view kTaint = "node-role.kubernetes.io/control-plane";
  if (kind == "DiscoveryIdentityConfig") {
    view.cluster_id = text_at(document, {"clusterID"});
    view.cluster_secret = text_at(document, {"clusterSecret"});
  } else if (kind == "DiscoveryServiceConfig") {
    view.discovery = true;
  } else if (kind == "UnattendedInstallConfig") {
    view.install_image = text_at(document, {"installer", "image"});
    view.unattended_install = true;
  } else if (kind == "KubeClusterConfig") {
    view.has_cluster = true;
    view.cluster_name = text_at(document, {"clusterName"});
    view.endpoint = text_at(document, {"endpoint"});
  } else if (kind == "KubeAPIServerCAConfig") {
    view.kubernetes_ca = authority_at(document);
  } else if (kind == "KubeletConfig") {
    view.kubelet_image = text_at(document, {"image"});
  } else if (kind == "KubeNodeConfig") {
    if (const Node* labels = document.find("labels")) {
      for (const yaml::Entry& label : labels->entries) {
        view.node_labels[label.key.text] = label.value.text;
      }
    }
    const Node* taints = document.find("taints");
    view.schedules_on_control_planes = taints == nullptr || taints->find(kTaint) == nullptr;
  } else if (kind == "KubeNetworkConfig") {
    view.dns_domain = text_or_empty(document, {"dnsDomain"}, view.dns_domain);
    replace_if_given(view.pod_subnets, list_at(document, {"podSubnets"}));
    replace_if_given(view.service_subnets, list_at(document, {"serviceSubnets"}));
  } else if (kind == "KubeAPIServerConfig") {
    view.api_cert_sans = list_at(document, {"certExtraSANs"});
    view.images["kube-apiserver"] = text_at(document, {"image"});
  } else if (kind == "KubeControllerManagerConfig") {
    view.images["kube-controller-manager"] = text_at(document, {"image"});
  } else if (kind == "KubeSchedulerConfig") {
    view.images["kube-scheduler"] = text_at(document, {"image"});
  } else if (kind == "KubeFlannelCNIConfig") {
    view.cni = "flannel";
  } else if (kind == "KubeProxyConfig") {
    view.proxy_disabled = text_at(document, {"enabled"}) == "false";
    view.images["kube-proxy"] = text_at(document, {"image"});
  } else if (kind == "KubeCoreDNSConfig") {
    view.coredns_disabled = text_at(document, {"enabled"}) == "false";
  }
}

void read_document(ConfigView& view, const Node& document) {
  const std::string kind = text_at(document, {"kind"});
  read_kubernetes_document(view, kind, document);
  if (kind == "HostnameConfig") {
    view.hostname = text_at(document, {"hostname"});
  } else if (kind == "LinkConfig" || kind == "VLANConfig" || kind == "BondConfig" ||
             kind == "BridgeConfig" || kind == "DummyLinkConfig") {
    if (const Node* addresses = document.find("addresses")) {
      for (const Node& address : addresses->items) {
        take_address(view, text_at(address, {"address"}), text_at(document, {"name"}));
      }
    }
  } else if (kind == "Layer2VIPConfig") {
    view.vip = text_at(document, {"name"});
  } else if (kind == "ResolverConfig") {
    if (const Node* servers = document.find("nameservers")) {
      for (const Node& server : servers->items) {
        view.nameservers.push_back(text_at(server, {"address"}));
      }
    }
  } else if (kind == "TimeSyncConfig") {
    view.time_servers = list_at(document, {"ntp", "servers"});
  }
}

/// With typed documents there is no CNI but the one that has a document.
bool is_typed(const std::vector<Node>& documents) {
  return std::any_of(documents.begin(), documents.end(), [](const Node& document) {
    return document.is_mapping() && text_at(document, {"kind"}) == "KubeClusterConfig";
  });
}

}  // namespace

std::string ConfigView::kubernetes_version() const {
  const std::string tag = kubelet_image.substr(0, kubelet_image.find('@'));
  const std::size_t colon = tag.rfind(':');
  return colon == std::string::npos ? "v1.35.2" : tag.substr(colon + 1);
}

std::string ConfigView::image_of(const std::string& component) const {
  const auto named = images.find(component);
  const bool given = named != images.end() && !named->second.empty();
  return given ? named->second : "registry.k8s.io/" + component + ":" + kubernetes_version();
}

ConfigView view_config(const std::vector<Node>& documents) {
  ConfigView view;
  if (is_typed(documents)) view.cni = "none";
  // The v1alpha1 document first: where both could speak, Talos lets only the typed one.
  for (const Node& document : documents) {
    if (!document.is_mapping() || document.find("kind") != nullptr) continue;
    view.complete = true;
    if (const Node* machine = document.find("machine")) read_machine(view, *machine);
    if (const Node* cluster = document.find("cluster"); cluster && cluster->is_mapping()) {
      read_cluster(view, *cluster);
    }
  }
  for (const Node& document : documents) {
    if (document.is_mapping() && document.find("kind") != nullptr) read_document(view, document);
  }
  return view;
}

ConfigView read_config(const std::string& text) {
  std::vector<Node> roots;
  if (auto documents = yaml::parse_or_explain(text, "config")) {
    for (yaml::Document& document : *documents) roots.push_back(std::move(document.root));
  }
  return view_config(roots);
}

}  // namespace ichor::lab
