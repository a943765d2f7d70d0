#include <algorithm>
#include <fmt/format.h>

#include "machineconfig/validate/address.h"
#include "machineconfig/validate/replaced.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void refuse(const View& old, std::string_view path, std::string_view kind, Report& report) {
  report.error(old, fmt::format("{} and a {} document say the same thing", path, kind),
               fmt::format("remove {}, or the document", path));
}

using If = Replaced::If;

constexpr Replaced kReplaced[] = {
    {"CRIBaseRuntimeSpecConfig", "machine.baseRuntimeSpecOverrides"},
    {"DiscoveryIdentityConfig", "cluster.id", If::filled},
    {"DiscoveryIdentityConfig", "cluster.secret", If::filled},
    {"DiscoveryServiceConfig", "cluster.discovery"},
    {"ImageCacheConfig", "machine.features.imageCache"},
    {"KubeAPIServerCAConfig", "cluster.ca"},
    {"KubeAPIServerConfig", "cluster.apiServer"},
    {"KubeAPIServerConfig", "cluster.controlPlane.localAPIServerPort", If::filled},
    {"KubeAdmissionControlConfig", "cluster.apiServer.admissionControl", If::filled},
    {"KubeAggregatorCAConfig", "cluster.aggregatorCA"},
    {"KubeAuditPolicyConfig", "cluster.apiServer.auditPolicy", If::filled},
    // Talos looks at admission control here, too, and not at authorizationConfig.
    {"KubeAuthorizerConfig", "cluster.apiServer.admissionControl", If::filled},
    {"KubeClusterConfig", "cluster.clusterName", If::filled},
    {"KubeClusterConfig", "cluster.controlPlane.endpoint"},
    {"KubeControllerManagerConfig", "cluster.controllerManager"},
    {"KubeControllerManagerConfig", "machine.controlPlane.controllerManager"},
    {"KubeCoreDNSConfig", "cluster.coreDNS"},
    {"KubeCredentialProviderConfig", "machine.kubelet"},
    {"KubeEtcdEncryptionConfig", "cluster.aescbcEncryptionSecret", If::filled},
    {"KubeEtcdEncryptionConfig", "cluster.secretboxEncryptionSecret", If::filled},
    {"KubeFlannelCNIConfig", "cluster.network"},
    {"KubeNetworkConfig", "cluster.network"},
    {"KubeNodeConfig", "cluster.allowSchedulingOnControlPlanes"},
    {"KubeNodeConfig", "cluster.allowSchedulingOnMasters"},
    {"KubeNodeConfig", "machine.kubelet.nodeIP"},
    {"KubeNodeConfig", "machine.kubelet.registerWithFQDN"},
    {"KubeNodeConfig", "machine.kubelet.skipNodeRegistration"},
    {"KubeNodeConfig", "machine.nodeAnnotations"},
    {"KubeNodeConfig", "machine.nodeLabels"},
    {"KubeNodeConfig", "machine.nodeTaints"},
    {"KubePrismConfig", "machine.features.kubePrism"},
    {"KubeProxyConfig", "cluster.proxy"},
    {"KubeSchedulerConfig", "cluster.scheduler"},
    {"KubeSchedulerConfig", "machine.controlPlane.scheduler"},
    {"KubeServiceAccountConfig", "cluster.serviceAccount"},
    {"KubeSpanConfig", "machine.network.kubespan"},
    {"KubeTalosAPIAccessConfig", "machine.features.kubernetesTalosAPIAccess"},
    {"KubeletConfig", "machine.kubelet"},
    {"UnattendedInstallConfig", "machine.install"},
};

View at_path(const View& root, std::string_view path) {
  View view = root;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    view = view[path.substr(0, dot)];
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return view;
}

void check_replaced(const View& v1alpha1, const std::string& kind, Report& report) {
  for (const Replaced& part : kReplaced) {
    if (kind != part.kind) continue;
    const View old = at_path(v1alpha1, part.path);
    const bool filled = old.count() > 0 || !old.empty();
    if (part.when == If::set ? old.set() : filled) refuse(old, part.path, kind, report);
  }
}

void check_hostname(const View& machine, Report& report) {
  const View hostname = machine["network"]["hostname"];
  const View stable = machine["features"]["stableHostname"];
  if (!hostname.empty()) refuse(hostname, "machine.network.hostname", "HostnameConfig", report);
  if (stable.flag()) refuse(stable, "machine.features.stableHostname", "HostnameConfig", report);
}

void check_resolvers(const View& machine, const View& document, Report& report) {
  const View network = machine["network"];
  const View domains = network["searchDomains"];
  if (domains) refuse(domains, "machine.network.searchDomains", "ResolverConfig", report);
  for (const View& server : network["nameservers"].items()) {
    if (!is_ip(server.text())) continue;
    refuse(server, "machine.network.nameservers", "ResolverConfig", report);
    break;
  }
  const View disabled = network["disableSearchDomain"];
  if (disabled.flag()) {
    refuse(disabled, "machine.network.disableSearchDomain", "ResolverConfig", report);
  }
  const View host_dns = machine["features"]["hostDNS"];
  if (host_dns && document["hostDNS"].count() > 0) {
    refuse(host_dns, "machine.features.hostDNS", "ResolverConfig", report);
  }
}

void check_time(const View& machine, Report& report) {
  const View time = machine["time"];
  const View disabled = time["disabled"];
  const View servers = time["servers"];
  const View timeout = time["bootTimeout"];
  if (disabled.flag()) refuse(disabled, "machine.time.disabled", "TimeSyncConfig", report);
  if (servers.count() > 0) refuse(servers, "machine.time.servers", "TimeSyncConfig", report);
  if (!timeout.empty()) refuse(timeout, "machine.time.bootTimeout", "TimeSyncConfig", report);
}

void check_encryption(const View& machine, const ConfigDocument& document, Report& report) {
  if (View(document.value)["encryption"]["provider"].empty()) return;
  const char* key = document.name == "STATE"       ? "state"
                    : document.name == "EPHEMERAL" ? "ephemeral"
                                                   : nullptr;
  if (key == nullptr) return;
  const View old = machine["systemDiskEncryption"][key];
  if (old) {
    refuse(old, fmt::format("machine.systemDiskEncryption.{}", key), "VolumeConfig", report);
  }
}

}  // namespace

void check_old_and_new(const View& v1alpha1, const ConfigDocument& document, Report& report) {
  const View machine = v1alpha1["machine"];
  const std::string& kind = document.kind->kind;
  if (kind == "HostnameConfig") check_hostname(machine, report);
  if (kind == "ResolverConfig") check_resolvers(machine, View(document.value), report);
  if (kind == "TimeSyncConfig") check_time(machine, report);
  if (kind == "VolumeConfig") check_encryption(machine, document, report);
  check_replaced(v1alpha1, kind, report);
}

}  // namespace ichor::validate

namespace ichor {

std::span<const Replaced> replaced_parts() { return validate::kReplaced; }

}  // namespace ichor
