#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/node.h"
#include "secrets/certificate.h"
#include "yaml/node.h"

namespace ichor::lab {

/// What a machine config says, as far as a lab node acts on it. Read without judging: what is
/// missing stays empty.
struct ConfigView {
  bool complete{false};  // it has the document with machine and cluster
  std::string machine_type;
  std::string hostname;
  std::string address;  // the first static one that others can reach
  int prefix_length{0};
  std::string link;  // that carries it
  std::string vip;
  std::vector<std::string> nameservers;
  std::vector<std::string> time_servers;

  pki::CertificateAndKey os_ca;           // key empty on workers
  std::vector<std::string> accepted_cas;  // PEM
  std::vector<std::string> cert_sans;
  std::string install_image;
  bool unattended_install{false};  // it installs itself while it boots (1.14)
  std::string kubelet_image;
  std::map<std::string, std::string> images;  // "kube-apiserver": its image
  std::map<std::string, std::string> node_labels;

  bool has_cluster{false};
  std::string cluster_id, cluster_secret, token, bootstrap_token;
  std::string cluster_name;
  std::string endpoint;
  pki::CertificateAndKey kubernetes_ca;  // key empty on workers
  std::vector<std::string> api_cert_sans;
  std::string cni{"flannel"};
  std::string dns_domain{"cluster.local"};
  std::vector<std::string> pod_subnets{"10.244.0.0/16"};
  std::vector<std::string> service_subnets{"10.96.0.0/12"};
  bool proxy_disabled{false};
  bool coredns_disabled{false};
  bool discovery{false};
  bool schedules_on_control_planes{false};

  bool control_plane() const { return machine_type == "controlplane" || machine_type == "init"; }
  /// "v1.35.2", from the kubelet's image.
  std::string kubernetes_version() const;
  /// The image of a component, or that of the kubelet's version if the config does not name one.
  std::string image_of(const std::string& component) const;
};

ConfigView view_config(const std::vector<yaml::Node>& documents);

/// Empty for a text that is not YAML.
ConfigView read_config(const std::string& text);

}  // namespace ichor::lab
