#include "machineconfig/kubernetes_documents.h"

#include <fmt/format.h>
#include <map>

#include "base/check.h"
#include "machineconfig/api_server_defaults.h"
#include "machineconfig/disk_expression.h"
#include "machineconfig/document.h"
#include "yaml/document.h"

namespace ichor {

namespace {

constexpr std::string_view kControlPlaneRole = "node-role.kubernetes.io/control-plane";
constexpr std::string_view kNoLoadBalancer =
    "node.kubernetes.io/exclude-from-external-load-balancers";

// What is the same in every config, as Talos writes it.
constexpr std::string_view kVolumes = R"(apiVersion: v1alpha1
kind: VolumeConfig
name: EPHEMERAL
mount: {secure: true}
---
apiVersion: v1alpha1
kind: FilesystemTrimConfig
interval: 168h0m0s
---
apiVersion: v1alpha1
kind: SecurityProfileConfig
workloadIsolation: true
)";
constexpr std::string_view kAuthentication = R"(apiVersion: v1alpha1
kind: KubeAuthenticationConfig
configuration:
  anonymous: {conditions: [{path: /livez}, {path: /readyz}, {path: /healthz}], enabled: true}
  jwt: []
---
apiVersion: v1alpha1
kind: KubeAuthorizerConfig
name: node
type: Node
---
apiVersion: v1alpha1
kind: KubeAuthorizerConfig
name: rbac
type: RBAC
)";
constexpr std::string_view kPrism = R"(apiVersion: v1alpha1
kind: KubePrismConfig
port: 7445
)";
constexpr std::string_view kFlannel = R"(apiVersion: v1alpha1
kind: KubeFlannelCNIConfig
backendType: vxlan
backendPort: 4789
)";
constexpr std::string_view kDns = R"(apiVersion: v1alpha1
kind: KubeCoreDNSConfig
enabled: true
)";

void add_fixed(std::string_view text, std::vector<yaml::Node>& documents) {
  auto parsed = yaml::parse(text, "document");
  check(parsed.has_value(), text);
  for (yaml::Document& document : *parsed) documents.push_back(std::move(document.root));
}

yaml::Node issuing_ca(const pki::CertificateAndKey& pair) {
  return yaml::map().set("cert", pair.certificate).set("key", pair.key.reveal());
}

yaml::Node texts(const std::map<std::string, std::string>& entries) {
  yaml::Map result;
  for (const auto& [key, text] : entries) result.set(key, text);
  return result;
}

yaml::Node one_text(const std::string& text, std::string_view otherwise) {
  return yaml::list({text.empty() ? std::string(otherwise) : text});
}

class Kubernetes {
 public:
  Kubernetes(const GenerateInput& input, const pki::SecretsBundle& secrets, std::string version)
      : input_(input),
        secrets_(secrets),
        version_(std::move(version)),
        control_plane_(input.role == Role::control_plane) {}

  std::vector<yaml::Node> documents() {
    add(typed_document("KubeClusterConfig")
            .set("clusterName", input_.cluster_name)
            .set("endpoint", input_.endpoint));
    add_node();
    add(typed_document("KubeletConfig")
            .set("image", "ghcr.io/siderolabs/kubelet:" + version_)
            .set("config", yaml::map())
            .set("defaultRuntimeSeccompProfileEnabled", true));
    add(typed_document("KubeNetworkConfig")
            .set("dnsDomain", input_.dns_domain)
            .set("podSubnets", one_text(input_.pod_subnet, "10.244.0.0/16"))
            .set("serviceSubnets", one_text(input_.service_subnet, "10.96.0.0/12")));
    yaml::Map ca = typed_document("KubeAPIServerCAConfig");
    if (control_plane_) {
      ca.set("issuingCA", issuing_ca(secrets_.k8s));
    } else {
      ca.set("acceptedCAs", yaml::list({secrets_.k8s.certificate}));
    }
    add(std::move(ca));
    add_fixed(kPrism, documents_);
    if (control_plane_) {
      add_api_server();
      add_components();
    }
    return std::move(documents_);
  }

 private:
  void add(yaml::Map document) { documents_.push_back(std::move(document).done()); }

  /// Unlike machine.nodeLabels, the document is used as it is: the role must be set.
  void add_node() {
    yaml::Map address;
    if (!input_.node_subnet.empty()) {
      address.set("validSubnets", yaml::list({input_.node_subnet}));
    }
    std::map<std::string, std::string> labels = input_.labels;
    std::map<std::string, std::string> taints;
    for (const Taint& taint : input_.taints) {
      taints[taint.key] = taint.value.empty() ? taint.effect : taint.value + ":" + taint.effect;
    }
    if (control_plane_) {
      labels.emplace(kControlPlaneRole, "");
      labels.emplace(kNoLoadBalancer, "");
      if (!input_.allow_scheduling_on_control_planes) {
        taints.emplace(kControlPlaneRole, "NoSchedule");
      }
    }
    yaml::Map node = typed_document("KubeNodeConfig").set("nodeIP", std::move(address));
    if (!labels.empty()) node.set("labels", texts(labels));
    if (!taints.empty()) node.set("taints", texts(taints));
    add(std::move(node));
  }

  void add_api_server() {
    add(typed_document("KubeAggregatorCAConfig")
            .set("issuingCA", issuing_ca(secrets_.k8s_aggregator)));
    add(typed_document("KubeAdmissionControlConfig")
            .set("name", "PodSecurity")
            .set("configuration", pod_security_defaults()));
    add(typed_document("KubeAuditPolicyConfig").set("configuration", default_audit_policy()));
    add_fixed(kAuthentication, documents_);
    add(typed_document("KubeEtcdEncryptionConfig").set("config", encryption()));
    add(typed_document("KubeServiceAccountConfig")
            .set("issuer", yaml::map()
                               .set("privateKey", secrets_.k8s_service_account_key.reveal())
                               .set("issuerURL", input_.endpoint)));
    yaml::Map server = component("KubeAPIServerConfig", "kube-apiserver");
    if (!input_.additional_sans.empty()) {
      server.set("certExtraSANs", yaml::list(input_.additional_sans));
    }
    add(std::move(server));
  }

  void add_components() {
    add(component("KubeControllerManagerConfig", "kube-controller-manager"));
    add(component("KubeSchedulerConfig", "kube-scheduler").set("config", yaml::map()));
    add(component("KubeProxyConfig", "kube-proxy").set("config", yaml::map()));
    if (!input_.cni_none) add_fixed(kFlannel, documents_);
    add_fixed(kDns, documents_);
  }

  yaml::Map component(std::string_view kind, std::string_view name) const {
    return typed_document(kind).set("image", fmt::format("registry.k8s.io/{}:{}", name, version_));
  }

  /// The names are those under which older contracts encrypt, so that what is stored can be read.
  yaml::Node encryption() const {
    const bool box = !secrets_.secretbox_encryption_secret.empty();
    const SecretString& secret =
        box ? secrets_.secretbox_encryption_secret : secrets_.aescbc_encryption_secret;
    const yaml::Node key =
        yaml::map().set("name", box ? "key2" : "key1").set("secret", secret.reveal());
    const yaml::Node provider =
        yaml::map().set(box ? "secretbox" : "aescbc", yaml::map().set("keys", yaml::list({key})));
    const yaml::Node resource = yaml::map()
                                    .set("providers", yaml::list({provider}))
                                    .set("resources", yaml::list({std::string("secrets")}));
    return yaml::map().set("resources", yaml::list({resource}));
  }

  const GenerateInput& input_;
  const pki::SecretsBundle& secrets_;
  std::string version_;
  bool control_plane_;
  std::vector<yaml::Node> documents_;
};

yaml::Node install_document(const GenerateInput& input) {
  yaml::Map installer;
  if (!input.install_image.empty()) installer.set("image", input.install_image);
  const std::string match = input.disk_selector.empty() ? disk_expression(input.install_disk)
                                                        : disk_expression(input.disk_selector);
  return typed_document("UnattendedInstallConfig")
      .set("installer", std::move(installer))
      .set("provisioning",
           yaml::map().set("diskSelector", yaml::map().set("match", match)).set("wipe", false));
}

}  // namespace

std::vector<yaml::Node> machine_documents(const GenerateInput& input,
                                          const pki::SecretsBundle& secrets) {
  std::vector<yaml::Node> documents;
  if (input.cluster_discovery) {
    documents.push_back(typed_document("DiscoveryServiceConfig")
                            .set("name", "default")
                            .set("endpoint", "https://discovery.talos.dev/"));
  }
  documents.push_back(typed_document("DiscoveryIdentityConfig")
                          .set("clusterID", secrets.cluster_id)
                          .set("clusterSecret", secrets.cluster_secret.reveal()));
  if (!input.install_disk.empty() || !input.disk_selector.empty()) {
    documents.push_back(install_document(input));
  }
  yaml::Map resolver = typed_document("ResolverConfig");
  if (!input.nameservers.empty()) resolver.set("nameservers", nameserver_list(input.nameservers));
  resolver.set("hostDNS", yaml::map().set("enabled", true).set("forwardKubeDNSToHost", true));
  documents.push_back(std::move(resolver));
  add_fixed(kVolumes, documents);
  return documents;
}

std::vector<yaml::Node> kubernetes_documents(const GenerateInput& input,
                                             const pki::SecretsBundle& secrets,
                                             const std::string& kubernetes) {
  if (input.without_kubernetes) return {};
  return Kubernetes(input, secrets, kubernetes).documents();
}

}  // namespace ichor
