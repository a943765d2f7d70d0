#include "machineconfig/v1alpha1.h"

#include <fmt/format.h>

#include "machineconfig/installer.h"
#include "machineconfig/network.h"
#include "pki/base64.h"
#include "yaml/build.h"

namespace ichor {

namespace {

constexpr std::string_view kDefaultPodSubnet = "10.244.0.0/16";
constexpr std::string_view kDefaultServiceSubnet = "10.96.0.0/12";

std::string_view or_default(const std::string& text, std::string_view otherwise) {
  return text.empty() ? otherwise : std::string_view(text);
}

/// Host of "https://host:port"; brackets of an IPv6 address are not part of it.
std::string host_of(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
    url.remove_prefix(scheme + 3);
  }
  if (url.starts_with('[')) return std::string(url.substr(1, url.find(']') - 1));
  return std::string(url.substr(0, url.find_first_of(":/")));
}

yaml::Node encoded(const pki::CertificateAndKey& pair, bool with_key) {
  return yaml::map()
      .set("crt", pki::base64(pair.certificate))
      .set("key", with_key ? pki::base64(pair.key.reveal()) : "");
}

class V1Alpha1 {
 public:
  V1Alpha1(const Contract& contract, const ClusterProfile& profile,
           const pki::SecretsBundle& secrets, const NodePlan& node, std::string kubernetes)
      : contract_(contract),
        profile_(profile),
        secrets_(secrets),
        node_(node),
        kubernetes_(std::move(kubernetes)),
        control_plane_(node.role == Role::control_plane) {}

  Result<yaml::Node> document() const {
    auto machine_part = machine();
    if (!machine_part) return tl::unexpected(machine_part.error());
    return yaml::map()
        .set("version", "v1alpha1")
        .set("debug", false)
        .set("persist", true)
        .set("machine", std::move(*machine_part))
        .set("cluster", cluster())
        .done();
  }

 private:
  Result<yaml::Node> machine() const {
    yaml::Map machine;
    machine.set("type", control_plane_ ? "controlplane" : "worker")
        .set("token", secrets_.trustd_token.reveal())
        .set("ca", encoded(secrets_.os, control_plane_))
        .set("certSANs", yaml::list(std::vector<yaml::Node>{}))
        .set("kubelet", kubelet());
    if (!contract_.network_documents) {
      auto network = machine_network(profile_, node_);
      if (!network) return tl::unexpected(network.error());
      machine.set("network", std::move(*network));
    } else if (contract_.writes_empty_network) {
      machine.set("network", yaml::map());
    }
    machine.set("install", install());
    if (auto time = machine_time(profile_); time && !contract_.network_documents) {
      machine.set("time", std::move(*time));
    }
    machine.set("features", features());
    if (const yaml::Map labels = node_labels(); !labels.empty()) machine.set("nodeLabels", labels);
    if (const yaml::Map taints = node_taints(); !taints.empty()) machine.set("nodeTaints", taints);
    return std::move(machine).done();
  }

  yaml::Map kubelet() const {
    yaml::Map kubelet;
    kubelet.set("image", "ghcr.io/siderolabs/kubelet:" + kubernetes_)
        .set("defaultRuntimeSeccompProfileEnabled", true);
    if (!profile_.network.node_cidr.empty()) {
      kubelet.set("nodeIP",
                  yaml::map().set("validSubnets", yaml::list({profile_.network.node_cidr})));
    }
    kubelet.set("disableManifestsDirectory", true);
    return kubelet;
  }

  yaml::Map install() const {
    yaml::Map install;
    if (node_.disk_selector.empty()) {
      install.set("disk", node_.disk);
    } else {
      install.set("diskSelector", disk_selector());
    }
    install.set("image", installer_image(profile_.talos, node_)).set("wipe", false);
    if (contract_.grub_uses_uki_cmdline) install.set("grubUseUKICmdline", true);
    return install;
  }

  yaml::Map disk_selector() const {
    const DiskSelector& disk = node_.disk_selector;
    yaml::Map selector;
    const auto add = [&](std::string_view key, const std::string& pattern) {
      if (!pattern.empty()) selector.set(key, pattern);
    };
    add("size", disk.size);
    add("model", disk.model);
    add("serial", disk.serial);
    add("modalias", disk.modalias);
    add("uuid", disk.uuid);
    add("wwid", disk.wwid);
    add("type", disk.type);
    add("busPath", disk.bus_path);
    return selector;
  }

  yaml::Map features() const {
    yaml::Map features;
    if (contract_.writes_old_features) {
      features.set("rbac", true).set("stableHostname", true).set("apidCheckExtKeyUsage", true);
    }
    return std::move(features)
        .set("diskQuotaSupport", true)
        .set("kubePrism", yaml::map().set("enabled", true).set("port", 7445))
        .set("hostDNS", yaml::map().set("enabled", true).set("forwardKubeDNSToHost", true));
  }

  /// Sorted by key, as Talos writes maps.
  yaml::Map node_labels() const {
    std::map<std::string, std::string> labels = node_.labels;
    if (control_plane_)
      labels.emplace("node.kubernetes.io/exclude-from-external-load-balancers", "");
    yaml::Map result;
    for (const auto& [key, text] : labels) result.set(key, text);
    return result;
  }

  yaml::Map node_taints() const {
    std::map<std::string, std::string> taints;
    for (const Taint& taint : node_.taints) {
      taints[taint.key] = taint.value.empty() ? taint.effect : taint.value + ":" + taint.effect;
    }
    yaml::Map result;
    for (const auto& [key, text] : taints) result.set(key, text);
    return result;
  }

  yaml::Map cluster() const {
    yaml::Map cluster;
    cluster.set("id", secrets_.cluster_id)
        .set("secret", secrets_.cluster_secret.reveal())
        .set("controlPlane", yaml::map().set("endpoint", profile_.network.api_endpoint))
        .set("clusterName", profile_.name)
        .set("network", cluster_network())
        .set("token", secrets_.bootstrap_token.reveal());
    if (control_plane_) set_encryption_secret(cluster);
    cluster.set("ca", encoded(secrets_.k8s, control_plane_));
    if (control_plane_) set_control_plane(cluster);
    cluster.set("discovery", discovery());
    if (control_plane_) {
      cluster.set("etcd", yaml::map().set("ca", encoded(secrets_.etcd, true)));
      if (profile_.talos.allow_scheduling_on_control_planes) {
        cluster.set("allowSchedulingOnControlPlanes", true);
      }
    }
    return cluster;
  }

  void set_encryption_secret(yaml::Map& cluster) const {
    if (!secrets_.secretbox_encryption_secret.empty()) {
      cluster.set("secretboxEncryptionSecret", secrets_.secretbox_encryption_secret.reveal());
    } else {
      cluster.set("aescbcEncryptionSecret", secrets_.aescbc_encryption_secret.reveal());
    }
  }

  yaml::Map cluster_network() const {
    const NetworkPlan& network = profile_.network;
    yaml::Map result;
    if (profile_.talos.cni_none) result.set("cni", yaml::map().set("name", "none"));
    const std::string pods(or_default(network.pod_cidr, kDefaultPodSubnet));
    const std::string services(or_default(network.service_cidr, kDefaultServiceSubnet));
    return std::move(result)
        .set("dnsDomain", network.dns_domain)
        .set("podSubnets", yaml::list({pods}))
        .set("serviceSubnets", yaml::list({services}));
  }

  void set_control_plane(yaml::Map& cluster) const {
    cluster.set("aggregatorCA", encoded(secrets_.k8s_aggregator, true))
        .set("serviceAccount",
             yaml::map().set("key", pki::base64(secrets_.k8s_service_account_key.reveal())))
        .set("apiServer", api_server())
        .set("controllerManager", kubernetes_image("kube-controller-manager"))
        .set("proxy", kubernetes_image("kube-proxy"))
        .set("scheduler", kubernetes_image("kube-scheduler"));
  }

  yaml::Map kubernetes_image(std::string_view component) const {
    return yaml::map().set("image", fmt::format("registry.k8s.io/{}:{}", component, kubernetes_));
  }

  yaml::Map api_server() const {
    yaml::Map server = kubernetes_image("kube-apiserver");
    if (contract_.writes_old_api_server) {
      server.set("certSANs", yaml::list({host_of(profile_.network.api_endpoint)}))
          .set("disablePodSecurityPolicy", true);
    }
    const yaml::Node rule = yaml::map().set("level", "Metadata");
    return std::move(server)
        .set("admissionControl", yaml::list({pod_security()}))
        .set("auditPolicy", yaml::map()
                                .set("apiVersion", "audit.k8s.io/v1")
                                .set("kind", "Policy")
                                .set("rules", yaml::list({rule})));
  }

  static yaml::Node pod_security() {
    const auto none = [] { return yaml::list(std::vector<yaml::Node>{}); };
    yaml::Map defaults = yaml::map()
                             .set("audit", "restricted")
                             .set("audit-version", "latest")
                             .set("enforce", "baseline")
                             .set("enforce-version", "latest")
                             .set("warn", "restricted")
                             .set("warn-version", "latest");
    yaml::Map exemptions = yaml::map()
                               .set("namespaces", yaml::list({std::string("kube-system")}))
                               .set("runtimeClasses", none())
                               .set("usernames", none());
    return yaml::map()
        .set("name", "PodSecurity")
        .set("configuration",
             yaml::map()
                 .set("apiVersion", "pod-security.admission.config.k8s.io/v1alpha1")
                 .set("defaults", std::move(defaults))
                 .set("exemptions", std::move(exemptions))
                 .set("kind", "PodSecurityConfiguration"));
  }

  static yaml::Map discovery() {
    return yaml::map()
        .set("enabled", true)
        .set("registries", yaml::map()
                               .set("kubernetes", yaml::map().set("disabled", true))
                               .set("service", yaml::map()));
  }

  const Contract& contract_;
  const ClusterProfile& profile_;
  const pki::SecretsBundle& secrets_;
  const NodePlan& node_;
  std::string kubernetes_;  // "v1.35.2"
  bool control_plane_;
};

}  // namespace

Result<yaml::Node> v1alpha1_document(const Contract& contract, const ClusterProfile& profile,
                                     const pki::SecretsBundle& secrets, const NodePlan& node) {
  std::string kubernetes(or_default(profile.talos.kubernetes_version, contract.kubernetes_version));
  if (kubernetes.empty()) return fail(Errc::invalid, "kubernetes_version is not told");
  if (!kubernetes.starts_with('v')) kubernetes.insert(0, "v");
  return V1Alpha1(contract, profile, secrets, node, std::move(kubernetes)).document();
}

}  // namespace ichor
