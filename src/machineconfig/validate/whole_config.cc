#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "machineconfig/validate/replaced.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

constexpr std::string_view kControlPlaneOnly[] = {
    "KubeAPIServerConfig",
    "KubeAdmissionControlConfig",
    "KubeAggregatorCAConfig",
    "KubeAuditPolicyConfig",
    "KubeAuthenticationConfig",
    "KubeAuthorizerConfig",
    "KubeControllerManagerConfig",
    "KubeCoreDNSConfig",
    "KubeEtcdEncryptionConfig",
    "KubeFlannelCNIConfig",
    "KubeProxyConfig",
    "KubeSchedulerConfig",
    "KubeServiceAccountConfig",
    "KubeTalosAPIAccessConfig",
};

/// All documents of a config, where what one says may be said by another one instead.
class Whole {
 public:
  Whole(const ConfigDocuments& documents, Report& report)
      : documents_(documents), report_(report), nothing_(nullptr, {1, 1}) {}

  void check(RuntimeMode mode) {
    if (mode == RuntimeMode::container) check_container_mode();
    check_encrypted_dns();
    check_discovery();
    check_kubespan();
    check_containers();
    check_kubernetes();
    check_roles();
  }

 private:
  /// The first document of a kind; "" is the v1alpha1 document.
  View find(std::string_view kind) const {
    for (const ConfigDocument& document : documents_) {
      const std::string_view own(document.kind != nullptr ? document.kind->kind.c_str() : "");
      if (own == kind) return View(document.value);
    }
    return nothing_;
  }
  View machine() const { return find("")["machine"]; }
  View cluster() const { return find("")["cluster"]; }

  /// The document's, if that turns it on; else the old one.
  View host_dns() const {
    const View typed = find("ResolverConfig")["hostDNS"];
    return typed["enabled"].flag() ? typed : machine()["features"]["hostDNS"];
  }

  void check_container_mode() {
    const View dns = host_dns();
    const std::string fix =
        "add a ResolverConfig with hostDNS: enabled and forwardKubeDNSToHost are true";
    if (!dns["enabled"].flag()) {
      report_.error(dns, "the DNS of the host must be enabled in a container", fix);
    }
    if (!dns["forwardKubeDNSToHost"].flag()) {
      report_.error(dns, "the DNS of the host must forward the cluster's DNS in a container", fix);
    }
  }

  void check_encrypted_dns() {
    if (host_dns()["enabled"].flag()) return;
    for (const View& server : find("ResolverConfig")["nameservers"].items()) {
      const View protocol = server["protocol"];
      if (protocol.empty() || protocol.text() == "Do53") continue;
      report_.error(protocol, "encrypted DNS needs the DNS of the host",
                    "write `enabled: true` in hostDNS");
    }
  }

  bool has_old_discovery() const {
    const View discovery = cluster()["discovery"];
    return discovery["enabled"].flag() && !discovery["registries"]["service"]["disabled"].flag();
  }

  void check_discovery() {
    const View typed = find("DiscoveryServiceConfig");
    if (!has_old_discovery() && !typed) return;
    const bool old = !cluster()["id"].empty() || !cluster()["secret"].empty();
    const View identity = find("DiscoveryIdentityConfig");
    const std::pair<View, const char*> parts[] = {
        {old ? cluster()["id"] : identity["clusterID"], "id"},
        {old ? cluster()["secret"] : identity["clusterSecret"], "secret"},
    };
    for (const auto& [part, name] : parts) {
      if (!part.empty()) continue;
      report_.error(has_old_discovery() ? cluster()["discovery"] : typed,
                    fmt::format("discovery needs the {} of the cluster", name),
                    fmt::format("add a DiscoveryIdentityConfig, or cluster.{}", name));
    }
  }

  void check_kubespan() {
    const View typed = find("KubeSpanConfig");
    const View kubespan = typed ? typed : machine()["network"]["kubespan"];
    if (!kubespan["enabled"].flag()) return;
    if (has_old_discovery() || find("DiscoveryServiceConfig")) return;
    report_.error(kubespan, "KubeSpan needs discovery", "add a DiscoveryServiceConfig");
  }

  void check_containers() {
    std::map<std::string, View> containers;
    for (const ConfigDocument& document : documents_) {
      if (document.kind == nullptr || document.kind->kind != "ContainerConfig") continue;
      containers.emplace(document.name, View(document.value));
    }
    for (const auto& [name, container] : containers) {
      for (const View& other : container["dependsOn"]["containers"].items()) {
        if (containers.contains(other.text())) continue;
        report_.error(other, fmt::format("there is no container `{}`", other.text()),
                      "add its ContainerConfig, or remove the name");
      }
    }
    std::set<std::string> done;
    for (const auto& [name, container] : containers) {
      std::set<std::string> above;
      if (!depends_on_itself(name, containers, above, done)) continue;
      report_.error(container["dependsOn"],
                    fmt::format("the container `{}` waits for itself", name),
                    "break the circle of dependsOn");
      return;
    }
  }

  static bool depends_on_itself(const std::string& name,
                                const std::map<std::string, View>& containers,
                                std::set<std::string>& above, std::set<std::string>& done) {
    const auto container = containers.find(name);
    if (container == containers.end() || done.contains(name)) return false;
    if (!above.insert(name).second) return true;
    for (const View& other : container->second["dependsOn"]["containers"].items()) {
      if (depends_on_itself(other.text(), containers, above, done)) return true;
    }
    above.erase(name);
    done.insert(name);
    return false;
  }

  bool is_control_plane() const {
    return machine() && Subject{find(""), RuntimeMode::metal, report_.minor()}.type() ==
                            MachineType::control_plane;
  }

  void check_kubernetes() {
    const View typed_ca = find("KubeAPIServerCAConfig");
    const View ca = typed_ca          ? typed_ca
                    : cluster()["ca"] ? cluster()["ca"]
                                      : cluster()["acceptedCAs"];
    if (!ca) return;
    const bool encrypted = !cluster()["secretboxEncryptionSecret"].empty() ||
                           !cluster()["aescbcEncryptionSecret"].empty() ||
                           find("KubeEtcdEncryptionConfig");
    if (is_control_plane() && !encrypted) {
      report_.error(ca, "a control plane must say how etcd is encrypted",
                    "add a KubeEtcdEncryptionConfig, or cluster.secretboxEncryptionSecret");
    }
    if (!find("KubeClusterConfig") && !cluster()["controlPlane"]["endpoint"]) {
      report_.error(ca, "Kubernetes needs the name and the endpoint of the cluster",
                    "add a KubeClusterConfig");
    }
  }

  void check_roles() {
    if (is_control_plane()) {
      const View node = find("KubeNodeConfig");
      if (node && !node["labels"]["node-role.kubernetes.io/control-plane"].set() &&
          !node["skipNodeRegistration"].flag()) {
        report_.warning(node, "the labels of a control plane lack its role",
                        "add `node-role.kubernetes.io/control-plane: \"\"`");
      }
      return;
    }
    for (const ConfigDocument& document : documents_) {
      if (document.kind == nullptr) continue;
      if (!is_control_plane_only(document.kind->kind)) continue;
      report_.error(View(document.value),
                    fmt::format("{} is for control planes only", document.kind->kind),
                    "remove it from this machine");
    }
  }

  const ConfigDocuments& documents_;
  Report& report_;
  View nothing_;
};

}  // namespace

void check_whole_config(const ConfigDocuments& documents, RuntimeMode mode, Report& report) {
  Whole(documents, report).check(mode);
}

}  // namespace ichor::validate

namespace ichor {

bool is_control_plane_only(std::string_view kind) {
  const auto* const end = std::end(validate::kControlPlaneOnly);
  return std::find(std::begin(validate::kControlPlaneOnly), end, kind) != end;
}

}  // namespace ichor
