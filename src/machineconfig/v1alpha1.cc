#include "machineconfig/v1alpha1.h"

#include <fmt/format.h>

#include "base/url.h"
#include "machineconfig/api_server_defaults.h"
#include "machineconfig/document.h"
#include "secrets/base64.h"

namespace ichor {

namespace {

constexpr std::string_view kDefaultPodSubnet = "10.244.0.0/16";
constexpr std::string_view kDefaultServiceSubnet = "10.96.0.0/12";

std::string_view or_default(const std::string& text, std::string_view otherwise) {
  return text.empty() ? otherwise : std::string_view(text);
}

yaml::Node encoded(const pki::CertificateAndKey& pair, bool with_key) {
  return yaml::map()
      .set("crt", pki::base64(pair.certificate))
      .set("key", with_key ? pki::base64(pair.key.reveal()) : "");
}

class V1Alpha1 {
 public:
  V1Alpha1(const Contract& contract, const GenerateInput& input, const pki::SecretsBundle& secrets,
           std::string kubernetes)
      : contract_(contract),
        input_(input),
        secrets_(secrets),
        kubernetes_(std::move(kubernetes)),
        control_plane_(input.role == Role::control_plane) {}

  yaml::Node document() const {
    return yaml::map()
        .set("version", "v1alpha1")
        .set("debug", false)
        .set("persist", input_.persist)
        .set("machine", contract_.typed_documents ? bare_machine() : machine())
        .set("cluster", contract_.typed_documents ? bare_cluster() : cluster())
        .done();
  }

 private:
  /// What every contract writes.
  yaml::Map machine_identity() const {
    return yaml::map()
        .set("type", control_plane_ ? "controlplane" : "worker")
        .set("token", secrets_.trustd_token.reveal())
        .set("ca", encoded(secrets_.os, control_plane_))
        .set("certSANs", yaml::list(input_.additional_sans));
  }

  yaml::Map bare_machine() const {
    return machine_identity().set("features", yaml::map().set("diskQuotaSupport", true));
  }

  yaml::Map bare_cluster() const {
    yaml::Map cluster;
    if (!input_.without_kubernetes || !control_plane_) {
      cluster.set("token", secrets_.bootstrap_token.reveal());
    }
    if (control_plane_ && !input_.without_kubernetes) {
      cluster.set("etcd", yaml::map().set("ca", encoded(secrets_.etcd, true)));
    }
    return cluster;
  }

  yaml::Map machine() const {
    yaml::Map machine = machine_identity();
    machine.set("kubelet", kubelet());
    if (const yaml::Node network = machine_network();
        !network.entries.empty() || contract_.writes_empty_network) {
      machine.set("network", network);
    }
    machine.set("install", install());
    if (input_.time) machine.set("time", *input_.time);
    if (!input_.registry_mirrors.empty() && !contract_.network_documents) {
      machine.set("registries", yaml::map().set("mirrors", mirrors()));
    }
    machine.set("features", features());
    if (const yaml::Map labels = node_labels(); !labels.empty()) machine.set("nodeLabels", labels);
    if (const yaml::Map taints = node_taints(); !taints.empty()) machine.set("nodeTaints", taints);
    return machine;
  }

  yaml::Node machine_network() const {
    yaml::Node network = input_.network.value_or(yaml::map().done());
    if (input_.kubespan && !contract_.kubespan_document) {
      network.entries.push_back(
          {yaml::make_string("kubespan"), yaml::map().set("enabled", true).done()});
    }
    return network;
  }

  yaml::Map mirrors() const {
    yaml::Map result;
    for (const auto& [host, urls] : input_.registry_mirrors) {
      result.set(host, yaml::map().set("endpoints", yaml::list(urls)));
    }
    return result;
  }

  yaml::Map kubelet() const {
    yaml::Map kubelet;
    kubelet.set("image", "ghcr.io/siderolabs/kubelet:" + kubernetes_)
        .set("defaultRuntimeSeccompProfileEnabled", true);
    if (!input_.node_subnet.empty()) {
      kubelet.set("nodeIP", yaml::map().set("validSubnets", yaml::list({input_.node_subnet})));
    }
    kubelet.set("disableManifestsDirectory", true);
    return kubelet;
  }

  yaml::Map install() const {
    yaml::Map install;
    if (input_.disk_selector.empty()) {
      install.set("disk", input_.install_disk);
    } else {
      install.set("diskSelector", disk_selector());
    }
    install.set("image", input_.install_image).set("wipe", false);
    if (contract_.grub_uses_uki_cmdline) install.set("grubUseUKICmdline", true);
    return install;
  }

  yaml::Map disk_selector() const {
    const DiskSelector& disk = input_.disk_selector;
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
    std::map<std::string, std::string> labels = input_.labels;
    if (control_plane_)
      labels.emplace("node.kubernetes.io/exclude-from-external-load-balancers", "");
    yaml::Map result;
    for (const auto& [key, text] : labels) result.set(key, text);
    return result;
  }

  yaml::Map node_taints() const {
    std::map<std::string, std::string> taints;
    for (const Taint& taint : input_.taints) {
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
        .set("controlPlane", yaml::map().set("endpoint", input_.endpoint))
        .set("clusterName", input_.cluster_name)
        .set("network", cluster_network())
        .set("token", secrets_.bootstrap_token.reveal());
    if (control_plane_) set_encryption_secret(cluster);
    cluster.set("ca", encoded(secrets_.k8s, control_plane_));
    if (control_plane_) set_control_plane(cluster);
    cluster.set("discovery", discovery());
    if (control_plane_) {
      cluster.set("etcd", yaml::map().set("ca", encoded(secrets_.etcd, true)));
      if (input_.allow_scheduling_on_control_planes) {
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
    yaml::Map result;
    if (input_.cni_none) result.set("cni", yaml::map().set("name", "none"));
    const std::string pods(or_default(input_.pod_subnet, kDefaultPodSubnet));
    const std::string services(or_default(input_.service_subnet, kDefaultServiceSubnet));
    return std::move(result)
        .set("dnsDomain", input_.dns_domain)
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
    std::vector<std::string> sans = input_.additional_sans;
    if (contract_.writes_old_api_server) sans.insert(sans.begin(), host_of(input_.endpoint));
    if (!sans.empty()) server.set("certSANs", yaml::list(sans));
    if (contract_.writes_old_api_server) server.set("disablePodSecurityPolicy", true);
    yaml::Node plugin =
        yaml::map().set("name", "PodSecurity").set("configuration", pod_security_defaults());
    return std::move(server)
        .set("admissionControl", yaml::list({std::move(plugin)}))
        .set("auditPolicy", default_audit_policy());
  }

  yaml::Map discovery() const {
    return yaml::map()
        .set("enabled", input_.cluster_discovery)
        .set("registries", yaml::map()
                               .set("kubernetes", yaml::map().set("disabled", true))
                               .set("service", yaml::map()));
  }

  const Contract& contract_;
  const GenerateInput& input_;
  const pki::SecretsBundle& secrets_;
  std::string kubernetes_;  // "v1.35.2"
  bool control_plane_;
};

}  // namespace

Result<std::string> kubernetes_tag(const GenerateInput& input) {
  if (input.kubernetes_version.empty()) {
    return fail(Errc::invalid, "the version of Kubernetes is missing");
  }
  const bool has_v = input.kubernetes_version.starts_with('v');
  return (has_v ? "" : "v") + input.kubernetes_version;
}

Result<yaml::Node> v1alpha1_document(const Contract& contract, const GenerateInput& input,
                                     const pki::SecretsBundle& secrets) {
  auto kubernetes = kubernetes_tag(input);
  if (!kubernetes) return forward_error(kubernetes);
  return V1Alpha1(contract, input, secrets, *std::move(kubernetes)).document();
}

std::vector<yaml::Node> mirror_documents(const Contract& contract, const GenerateInput& input) {
  std::vector<yaml::Node> documents;
  for (const auto& [host, urls] : input.registry_mirrors) {
    if (!contract.network_documents) break;
    std::vector<yaml::Node> endpoints;
    for (const std::string& url : urls) endpoints.push_back(yaml::map().set("url", url));
    documents.push_back(typed_document("RegistryMirrorConfig")
                            .set("name", host)
                            .set("endpoints", yaml::list(std::move(endpoints))));
  }
  return documents;
}

std::vector<yaml::Node> kubespan_documents(const Contract& contract, const GenerateInput& input) {
  if (!input.kubespan || !contract.kubespan_document) return {};
  return {typed_document("KubeSpanConfig").set("enabled", true)};
}

}  // namespace ichor
