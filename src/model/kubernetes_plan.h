#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/time.h"

namespace ichor {

/// What a profile wants of the cluster after its nodes are verified: the sections `phases` and
/// `gates`, as docs/phases.md describes them. Paths are as they were written until
/// cluster/kubernetes_material.h has resolved them.
struct KubernetesPlan {
  bool phases{false};  // else there are only gates, for `ichor wait`
  std::string root{"."};

  struct Namespaces {
    std::vector<std::string> names;
    std::string tree;  // a folder; every folder below it is a namespace
  } namespaces;

  /// One Secret and where its values come from; exactly one source is set.
  struct SecretItem {
    std::string name;
    std::string name_space;
    std::string type{"Opaque"};
    std::string age_key;                             // the key that gets the operator's age keys
    std::map<std::string, std::string> files;        // key: file
    std::map<std::string, std::string> onepassword;  // key: op://vault/item/field
  };

  enum class OnePasswordWay { op, connect };
  struct OnePassword {
    OnePasswordWay way{OnePasswordWay::op};
    std::string connect_host;
    std::string connect_token_file;
  } onepassword;

  struct SealedSecrets {
    bool wanted{false};
    std::string name_space{"kube-system"};
    std::string name{"sealed-secrets-key"};
  } sealed_secrets;

  std::vector<std::string> secret_manifests;
  std::vector<SecretItem> secrets;

  /// A chart, as helm needs it.
  struct Chart {
    std::string chart;  // oci://…, a folder, or REPO/NAME
    std::string version;
    std::string name_space;
    std::vector<std::string> values;  // files
    bool plain_http{false};           // of its registry
  };
  struct Crds {
    std::string helmfile;
    std::vector<std::string> dirs;
    std::vector<Chart> charts;
  } crds;

  struct Release {
    std::string name;
    Chart chart;
    std::string from;  // a folder of the GitOps tree, instead of a chart
    std::vector<std::string> needs;
    bool needs_given{false};  // else it needs the CNI
  };
  struct Core {
    std::string helmfile;
    std::vector<Release> releases;
    int parallel{4};
    bool approve_csrs{true};
  } core;

  struct Flux {
    std::string name_space{"flux-system"};
    std::string deployment{"flux-operator"};
    std::string instance{"flux"};
    std::string kustomize_root;
    std::vector<std::string> kubeconform_schemas;
  } flux;

  std::map<std::string, std::string> tools;  // name of a program: its absolute path

  struct PhaseBudgets {
    Duration secrets{std::chrono::minutes(5)};
    Duration crds{std::chrono::minutes(5)};
    Duration core{std::chrono::minutes(15)};
    Duration validation{std::chrono::minutes(15)};
  } budgets;

  struct Slo {
    Duration talos{std::chrono::minutes(7)};
    Duration crds{std::chrono::minutes(2)};
    Duration core{std::chrono::minutes(6)};
    Duration total{std::chrono::minutes(20)};
  } slo;

  struct Gates {
    Duration nodes_stable{std::chrono::seconds(30)};
    std::string cilium_namespace{"kube-system"};
    std::string cilium_daemonset{"cilium"};
    std::string cilium_operator{"cilium-operator"};
    std::string coredns_namespace{"kube-system"};
    std::string coredns_deployment{"coredns"};
    bool coredns_lookup{true};  // CoreDNS is asked, through the API server
    bool talos_services{true};
    int csi_phase{0};  // 0: there is no CSI to wait for
    std::string csi_namespace{"csi-proxmox"};
    std::string csi_controller{"proxmox-csi-plugin-controller"};
    std::string csi_node{"proxmox-csi-plugin-node"};
  } gates;
};

}  // namespace ichor
