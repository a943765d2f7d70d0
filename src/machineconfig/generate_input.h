#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/cluster_profile.h"
#include "yaml/node.h"

namespace ichor {

/// All that the v1alpha1 document of one node is made of, beside the contract and the secrets: what
/// a profile says about a node, or what the flags of `ichor gen config` say about a role.
struct GenerateInput {
  Role role{Role::worker};
  std::string cluster_name;
  std::string endpoint;            // "https://192.168.22.100:6443"
  std::string kubernetes_version;  // "1.35.2" or "v1.35.2"
  std::string dns_domain{"cluster.local"};
  std::string pod_subnet, service_subnet;  // empty: Talos' own
  std::string node_subnet;                 // of the kubelet's address; empty: whichever
  std::string install_disk;
  DiskSelector disk_selector;  // instead of the disk
  std::string install_image;
  std::vector<std::string> additional_sans;
  /// Host of a registry and where it is mirrored, by host.
  std::map<std::string, std::vector<std::string>> registry_mirrors;
  std::vector<std::string> nameservers;  // of contracts with typed documents
  std::map<std::string, std::string> labels;
  std::vector<Taint> taints;
  bool persist{true};
  bool cluster_discovery{true};
  bool kubespan{false};
  bool cni_none{false};
  bool allow_scheduling_on_control_planes{false};
  /// A machine that runs neither Kubernetes nor etcd; of contracts with typed documents.
  bool without_kubernetes{false};
  /// machine.network and machine.time of contracts without network documents.
  std::optional<yaml::Node> network, time;
};

}  // namespace ichor
