// The proof that a migrated config means the same. It does not use the code that migrates: it reads
// both styles into one list of settings by tables of its own, and the lists must be equal. What no
// table knows keeps its path as its name, so a setting that is lost or made up always shows.

#include "machineconfig/migrate/settings.h"

#include <algorithm>
#include <fmt/format.h>

#include "machineconfig/migrate/settings_reader.h"
#include "secrets/base64.h"

namespace ichor::migrate {

namespace {

enum class As { same, inverted, pem, dropped };

/// Everything below an old path is called like this in both styles.
struct Moved {
  std::string_view old_path;
  std::string_view name;
  As as{As::same};
};

constexpr Moved kMoved[] = {
    {"machine.install.image", "UnattendedInstallConfig.installer.image"},
    {"machine.install.wipe", "UnattendedInstallConfig.provisioning.wipe"},
    {"machine.install.grubUseUKICmdline", "", As::dropped},
    {"machine.kubelet.image", "KubeletConfig.image"},
    {"machine.kubelet.extraConfig", "KubeletConfig.config"},
    {"machine.kubelet.extraArgs", "KubeletConfig.extraArgs"},
    {"machine.kubelet.clusterDNS", "KubeletConfig.clusterDNS"},
    {"machine.kubelet.defaultRuntimeSeccompProfileEnabled",
     "KubeletConfig.defaultRuntimeSeccompProfileEnabled"},
    {"machine.kubelet.disableManifestsDirectory", "", As::dropped},
    {"machine.kubelet.credentialProviderConfig", "KubeCredentialProviderConfig.configuration"},
    {"machine.kubelet.nodeIP", "KubeNodeConfig.nodeIP"},
    {"machine.kubelet.registerWithFQDN", "KubeNodeConfig.registerWithFQDN"},
    {"machine.kubelet.skipNodeRegistration", "KubeNodeConfig.skipNodeRegistration"},
    {"machine.nodeLabels", "KubeNodeConfig.labels"},
    {"machine.nodeAnnotations", "KubeNodeConfig.annotations"},
    {"machine.nodeTaints", "KubeNodeConfig.taints"},
    {"machine.features.hostDNS", "ResolverConfig.hostDNS"},
    {"machine.features.imageCache.localEnabled", "ImageCacheConfig.local.enabled"},
    {"machine.features.kubernetesTalosAPIAccess.allowedRoles",
     "KubeTalosAPIAccessConfig.allowedRoles"},
    {"machine.features.kubernetesTalosAPIAccess.allowedKubernetesNamespaces",
     "KubeTalosAPIAccessConfig.allowedKubernetesNamespaces"},
    {"machine.network.searchDomains", "ResolverConfig.searchDomains.domains"},
    {"machine.network.disableSearchDomain", "ResolverConfig.searchDomains.disableDefault"},
    {"machine.network.kubespan", "KubeSpanConfig"},
    {"machine.time.disabled", "TimeSyncConfig.enabled", As::inverted},
    {"machine.time.servers", "TimeSyncConfig.ntp.servers"},
    {"machine.time.bootTimeout", "TimeSyncConfig.bootTimeout"},
    {"machine.sysctls", "SysctlConfig.params"},
    {"machine.sysfs", "SysfsConfig.params"},
    {"machine.udev.rules", "UdevRulesConfig.rules"},
    {"machine.env", "EnvironmentConfig.variables"},
    {"machine.baseRuntimeSpecOverrides", "CRIBaseRuntimeSpecConfig.overrides"},
    {"machine.systemDiskEncryption.state", "VolumeConfig STATE.encryption"},
    {"machine.systemDiskEncryption.ephemeral", "VolumeConfig EPHEMERAL.encryption"},
    {"machine.controlPlane.controllerManager.disabled", "KubeControllerManagerConfig.enabled",
     As::inverted},
    {"machine.controlPlane.scheduler.disabled", "KubeSchedulerConfig.enabled", As::inverted},
    {"cluster.id", "DiscoveryIdentityConfig.clusterID"},
    {"cluster.secret", "DiscoveryIdentityConfig.clusterSecret"},
    {"cluster.clusterName", "KubeClusterConfig.clusterName"},
    {"cluster.controlPlane.endpoint", "KubeClusterConfig.endpoint"},
    {"cluster.controlPlane.localAPIServerPort", "KubeAPIServerConfig.apiPort"},
    {"cluster.network.dnsDomain", "KubeNetworkConfig.dnsDomain"},
    {"cluster.network.podSubnets", "KubeNetworkConfig.podSubnets"},
    {"cluster.network.serviceSubnets", "KubeNetworkConfig.serviceSubnets"},
    {"cluster.network.cni.flannel", "KubeFlannelCNIConfig"},
    {"cluster.ca.key", "KubeAPIServerCAConfig.issuingCA.key", As::pem},
    {"cluster.ca.crt", "KubeAPIServerCAConfig.issuingCA.cert", As::pem},
    {"cluster.aggregatorCA.key", "KubeAggregatorCAConfig.issuingCA.key", As::pem},
    {"cluster.aggregatorCA.crt", "KubeAggregatorCAConfig.issuingCA.cert", As::pem},
    {"cluster.serviceAccount.key", "KubeServiceAccountConfig.issuer.privateKey", As::pem},
    {"cluster.apiServer.auditPolicy", "KubeAuditPolicyConfig.configuration"},
    {"cluster.apiServer.certSANs", "KubeAPIServerConfig.certExtraSANs"},
    {"cluster.apiServer.disablePodSecurityPolicy", "", As::dropped},
    {"cluster.apiServer", "KubeAPIServerConfig"},
    {"cluster.controllerManager", "KubeControllerManagerConfig"},
    {"cluster.scheduler", "KubeSchedulerConfig"},
    {"cluster.proxy.disabled", "KubeProxyConfig.enabled", As::inverted},
    {"cluster.proxy", "KubeProxyConfig"},
    {"cluster.coreDNS.disabled", "KubeCoreDNSConfig.enabled", As::inverted},
    {"cluster.coreDNS", "KubeCoreDNSConfig"},
};

std::string decoded(const std::string& text) { return pki::from_base64(text).value_or(text); }

bool below(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) &&
         (path.size() == prefix.size() || path[prefix.size()] == '.' || path[prefix.size()] == '[');
}

}  // namespace

std::string text_of(const yaml::Node& node, std::string_view key) {
  const yaml::Node* value = node.find(key);
  return value ? value->text : "";
}

yaml::Node take_from(yaml::Node& mapping, std::string_view key) {
  yaml::Node taken;
  std::erase_if(mapping.entries, [&](yaml::Entry& entry) {
    if (entry.key.text != key) return false;
    taken = std::move(entry.value);
    return true;
  });
  return taken;
}

Settings Reader::read(const std::vector<yaml::Node>& documents) {
  for (const yaml::Node& document : documents) {
    if (document.find("kind") && document.find("apiVersion")) {
      read_typed(document);
    } else {
      read_old(document);
    }
  }
  if (!of_.patch) add_what_talos_adds();
  return std::move(settings_);
}

void Reader::flatten(const yaml::Node& node, const std::string& path) {
  for (const yaml::Entry& entry : node.entries) {
    flatten(entry.value, path.empty() ? entry.key.text : path + "." + entry.key.text);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    flatten(node.items[i], fmt::format("{}[{}]", path, i));
  }
  if (node.is_scalar()) keep(path, node.text);
}

void Reader::keep(const std::string& path, const std::string& text) {
  const auto row =
      std::ranges::find_if(kMoved, [&](const Moved& moved) { return below(path, moved.old_path); });
  if (row == std::ranges::end(kMoved)) {
    set(path, text);
    return;
  }
  const std::string name = std::string(row->name) + path.substr(row->old_path.size());
  switch (row->as) {
    case As::same: set(name, text); break;
    case As::inverted: set(name, text == "true" ? "false" : "true"); break;
    case As::pem:
      if (!text.empty()) set(name, decoded(text));
      break;
    case As::dropped: break;
  }
}

std::string Reader::link_name(const std::string& name) const {
  const auto alias = aliases_.find(name.substr(0, name.find('.')));
  return alias == aliases_.end() ? name : alias->second + name.substr(alias->first.size());
}

void Reader::add_what_talos_adds() {
  // What a typed document leaves out is not set; what no typed document is there for, Talos sets as
  // it always did.
  const auto typed = [&](const char* kind) { return kinds_.contains(kind); };
  if (!typed("UnattendedInstallConfig") && settings_.contains("install disk")) {
    settings_.emplace("UnattendedInstallConfig.provisioning.wipe", "false");
  }
  if (kubernetes_ && !typed("KubeNetworkConfig")) {
    std::string& domain = settings_["KubeNetworkConfig.dnsDomain"];
    if (domain.empty()) domain = "cluster.local";
    settings_.emplace("KubeNetworkConfig.podSubnets[0]", "10.244.0.0/16");
    settings_.emplace("KubeNetworkConfig.serviceSubnets[0]", "10.96.0.0/12");
  }
  if (kubernetes_ && !typed("KubeletConfig")) {
    settings_.emplace("KubeletConfig.defaultRuntimeSeccompProfileEnabled", "false");
    settings_.emplace("KubeletConfig.image",
                      "ghcr.io/siderolabs/kubelet:" + of_.kubernetes_version);
  }
  if (kubernetes_ && of_.control_plane) add_control_plane();
  settings_.erase("schedulable");
}

void Reader::add_control_plane() {
  constexpr std::string_view kRole = "node-role.kubernetes.io/control-plane";
  const auto typed = [&](const char* kind) { return kinds_.contains(kind); };
  if (!typed("KubeNodeConfig")) {
    settings_.emplace(fmt::format("KubeNodeConfig.labels.{}", kRole), "");
    const auto schedulable = settings_.find("schedulable");
    const bool runs_pods = schedulable != settings_.end() && schedulable->second == "true";
    if (!runs_pods) settings_.emplace(fmt::format("KubeNodeConfig.taints.{}", kRole), "NoSchedule");
  }
  if (!typed("KubeAPIServerConfig")) {
    settings_.emplace("authorizer Node", "");
    settings_.emplace("authorizer RBAC", "");
    settings_.emplace("anonymous requests", "refused");
  }
  // Probes without credentials need anonymous requests.
  settings_.emplace("KubeAPIServerConfig.startupProbes",
                    typed("KubeAPIServerConfig") ? "true" : "false");
  for (const auto& [kind, name] : {std::pair("KubeAPIServerConfig", "kube-apiserver"),
                                   {"KubeControllerManagerConfig", "kube-controller-manager"},
                                   {"KubeSchedulerConfig", "kube-scheduler"},
                                   {"KubeProxyConfig", "kube-proxy"}}) {
    if (typed(kind)) continue;
    settings_.emplace(fmt::format("{}.image", kind),
                      fmt::format("registry.k8s.io/{}:{}", name, of_.kubernetes_version));
  }
  if (!typed("KubeCoreDNSConfig")) settings_.emplace("KubeCoreDNSConfig.enabled", "true");
  settings_.emplace("cni", typed("KubeNetworkConfig") ? "other" : "flannel");
  if (settings_["cni"] == "flannel" && !typed("KubeFlannelCNIConfig")) {
    settings_.emplace("KubeFlannelCNIConfig.backendType", "vxlan");
    settings_.emplace("KubeFlannelCNIConfig.backendPort", "4789");
  }
  const auto endpoint = settings_.find("KubeClusterConfig.endpoint");
  const bool account = settings_.contains("KubeServiceAccountConfig.issuer.privateKey");
  if (account && endpoint != settings_.end() && !typed("KubeServiceAccountConfig")) {
    settings_.emplace("KubeServiceAccountConfig.issuer.issuerURL", endpoint->second);
  }
}

Settings settings_of(const std::vector<yaml::Node>& documents, const SettingsOf& of) {
  // Aliases come first: the names of links rest on them.
  std::vector<yaml::Node> ordered = documents;
  std::stable_partition(ordered.begin(), ordered.end(), [](const yaml::Node& document) {
    return text_of(document, "kind") == "LinkAliasConfig";
  });
  return Reader(of).read(ordered);
}

std::vector<std::string> differing(const Settings& before, const Settings& after) {
  std::vector<std::string> names;
  for (const auto& [name, value] : before) {
    const auto same = after.find(name);
    if (same == after.end()) {
      names.push_back(name + ": only in the old config");
    } else if (same->second != value) {
      names.push_back(name + ": another value");
    }
  }
  for (const auto& [name, value] : after) {
    if (!before.contains(name)) names.push_back(name + ": only in the new config");
  }
  return names;
}

}  // namespace ichor::migrate
