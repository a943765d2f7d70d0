#include <algorithm>
#include <fmt/format.h>

#include "base/ip.h"
#include "base/nearest_name.h"
#include "machineconfig/go_url.h"
#include "machineconfig/validate/address.h"
#include "machineconfig/validate/kubernetes.h"
#include "machineconfig/validate/named.h"
#include "machineconfig/validate/names.h"
#include "machineconfig/validate/pem.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_cluster_config(const View& document, Report& report) {
  require_text(document, "clusterName", report);
  const View endpoint = document["endpoint"];
  if (endpoint.empty()) return require_text(document, "endpoint", report);
  if (const std::string trouble = endpoint_trouble(endpoint.text()); !trouble.empty()) {
    report.error(endpoint, fmt::format("the endpoint of the cluster {}", trouble),
                 "write https://HOST:6443");
  }
}

void check_node_config(const View& document, Report& report) {
  check_node_subnets(document["nodeIP"]["validSubnets"], report);
  check_labels(document["labels"], report);
  check_annotations(document["annotations"], report);
  check_taints(document["taints"], report);
}

void check_kubelet_config(const View& document, Report& report) {
  require_text(document, "image", report);
  check_kubelet_settings(document["config"], report);
}

/// Networks of pods or services: one, or one of each family.
class Subnets {
 public:
  Subnets(const View& list, const char* what, Report& report)
      : list_(list), what_(what), report_(report) {}

  /// `fits` says what is wrong with the size of a network.
  template <class Fits>
  void check(const View& document, Fits fits) {
    const std::vector<View> items = list_.items();
    if (items.empty() || items.size() > 2) {
      report_.error(items.empty() ? document : list_,
                    fmt::format("there must be one or two networks of {}", what_),
                    "give one, or one of each family");
      return;
    }
    int families[2] = {0, 0};
    for (const View& item : items) {
      const auto cidr = parse_cidr(item.text());
      if (!cidr) {
        refuse(item, "is not a network");
        continue;
      }
      ++families[cidr->address.v6 ? 1 : 0];
      if (first_of(*cidr) != cidr->address) refuse(item, "has host bits");
      if (cidr->address.bits() - cidr->length < 4) refuse(item, "is too small");
      if (const std::string trouble = fits(*cidr); !trouble.empty()) refuse(item, trouble);
    }
    if (families[0] > 1 || families[1] > 1) {
      report_.error(list_, fmt::format("two networks of {} have the same family", what_),
                    "give one of each family");
    }
  }

 private:
  void refuse(const View& item, const std::string& trouble) {
    report_.error(item, fmt::format("the network `{}` of {} {}", item.text(), what_, trouble),
                  "choose another one");
  }

  View list_;
  const char* what_;
  Report& report_;
};

void check_network_config(const View& document, Report& report) {
  const auto mask = [&](const char* key, std::int64_t most, std::int64_t otherwise) {
    const View view = document[key];
    const std::int64_t size = view.number();
    if (size >= 0 && size <= most) return size == 0 ? otherwise : size;
    report.error(view, fmt::format("{} must be from 1 to {}", key, most), "remove it");
    return std::int64_t{-1};
  };
  const std::int64_t v4 = mask("nodeCIDRMaskSizeIPv4", 32, 24);
  const std::int64_t v6 = mask("nodeCIDRMaskSizeIPv6", 128, 64);
  const View pods = document["podSubnets"];
  const View services = document["serviceSubnets"];
  Subnets(pods, "pods", report).check(document, [&](const Cidr& cidr) -> std::string {
    const std::int64_t node = cidr.address.v6 ? v6 : v4;
    if (node < 0) return "";
    if (cidr.length > node) return "is smaller than that of one node";
    return node - cidr.length > 16 ? "is too large for the network of one node" : "";
  });
  Subnets(services, "services", report).check(document, [](const Cidr& cidr) -> std::string {
    return cidr.address.bits() - cidr.length > 20 ? "is too large" : "";
  });
  if (pods.count() != services.count()) {
    report.error(document, "pods and services must have equally many networks",
                 "give both the same families");
  }
}

void check_authority(const View& authority, Report& report) {
  for (const char* const key : {"cert", "key"}) {
    if (!authority[key].empty()) continue;
    report.error(authority, fmt::format("issuingCA.{} is missing", key),
                 "take it from the secrets bundle");
    return;
  }
  const View cert = authority["cert"];
  const std::string trouble = certificates_trouble(cert.text());
  if (!trouble.empty() || !is_certificate(cert.text())) {
    report.error(cert, "issuingCA.cert holds no certificate in PEM form",
                 "paste the CA's certificate, not base64 of it");
  }
  if (!is_key(authority["key"].text())) {
    report.error(authority["key"], "issuingCA.key holds no private key in PEM form",
                 "paste the CA's key, not base64 of it");
  }
}

void check_api_server_ca(const View& document, Report& report) {
  if (document["issuingCA"]) check_authority(document["issuingCA"], report);
  for (const View& ca : document["acceptedCAs"].items()) {
    if (const std::string trouble = certificates_trouble(ca.text()); !trouble.empty()) {
      report.error(ca, fmt::format("an item of acceptedCAs {}", trouble),
                   "paste certificates in PEM form");
    }
  }
}

void check_aggregator_ca(const View& document, Report& report) {
  if (!document["issuingCA"]) {
    report.error(document, "issuingCA is missing", "take it from the secrets bundle");
  }
  check_api_server_ca(document, report);
}

void check_prism(const View& document, Report& report) {
  const std::int64_t port = document["port"].number();
  if (port >= 1 && port <= 65535) return;
  report.error(document["port"], "port must be from 1 to 65535", "write `port: 7445`");
}

void check_authorizer(const View& document, Report& report) {
  require_name(document, report);
  const std::string& type = document["type"].text();
  if (type != "Node" && type != "RBAC" && type != "Webhook") {
    report.error(document["type"], fmt::format("an authorizer cannot be of type `{}`", type),
                 "write Node, RBAC or Webhook");
  }
  const View webhook = document["webhook"];
  if (type == "Webhook" && webhook.count() == 0) {
    report.error(document, "an authorizer of type Webhook needs `webhook`", "add it");
  } else if (type != "Webhook" && webhook.count() > 0) {
    report.warning(webhook, "only an authorizer of type Webhook has `webhook`", "remove it");
  }
}

void check_encryption_config(const View& document, Report& report) {
  if (document["config"].count() > 0) return;
  report.error(document, "config is missing", "say how etcd is to be encrypted");
}

void check_service_account(const View& document, Report& report) {
  const View issuer = document["issuer"];
  const View key = issuer["privateKey"];
  if (key.empty()) {
    report.error(issuer, "issuer.privateKey is missing", "take it from the secrets bundle");
  } else if (!is_key(key.text())) {
    report.error(key, "issuer.privateKey holds no private key in PEM form",
                 "paste the key, not base64 of it");
  }
  if (issuer["issuerURL"].empty()) {
    report.error(issuer, "issuer.issuerURL is missing", "write the endpoint of the cluster");
  }
}

void check_api_server(const View& document, Report& report) {
  require_text(document, "image", report);
  struct Denied {
    std::string_view prefix, kind;
  };
  constexpr Denied denied[] = {
      {"anonymous-auth", "KubeAuthenticationConfig"},
      {"oidc-", "KubeAuthenticationConfig"},
      {"authentication-config", "KubeAuthenticationConfig"},
      {"authorization-config", "KubeAuthorizerConfig"},
      {"authorization-mode", "KubeAuthorizerConfig"},
      {"authorization-webhook-", "KubeAuthorizerConfig"},
  };
  for (const auto& [key, value] : document["extraArgs"].entries()) {
    for (const Denied& one : denied) {
      if (!key.starts_with(one.prefix)) continue;
      report.error(value, fmt::format("the API server does not take the argument `{}`", key),
                   fmt::format("use a {} document", one.kind));
    }
  }
  check_resources(document, "the API server", report);
}

/// A component that can be turned off; then nothing else counts.
void check_component(const View& document, const char* name, Report& report) {
  const View enabled = document["enabled"];
  if (enabled && !enabled.flag()) return;
  require_text(document, "image", report);
  check_resources(document, name, report);
}

void check_controller_manager(const View& document, Report& report) {
  check_component(document, "the controller manager", report);
}

void check_scheduler(const View& document, Report& report) {
  check_component(document, "the scheduler", report);
}

void check_proxy(const View& document, Report& report) {
  const View enabled = document["enabled"];
  if (enabled && !enabled.flag()) return;
  check_component(document, "kube-proxy", report);
  const View mode = document["mode"];
  if (mode.text() == "iptables" || mode.text() == "ipvs") {
    report.warning(mode, fmt::format("the mode {} is not recommended", mode.text()),
                   "write nftables");
  } else if (!mode.empty() && mode.text() != "nftables") {
    report.error(mode, fmt::format("kube-proxy has no mode `{}`", mode.text()),
                 "write nftables, iptables or ipvs");
  }
  if (document["extraArgs"].count() > 0) {
    report.warning(document["extraArgs"], "arguments of kube-proxy may have no effect",
                   "use config");
  }
}

void check_flannel(const View& document, Report& report) {
  require_text(document, "backendType", report);
  check_resources(document, "flannel", report);
}

/// The name of a manifest or pod.
void check_object_name(const View& document, Report& report) {
  const View name = document["name"];
  if (is_subdomain(name.text())) return;
  report.error(name.empty() ? document : name,
               fmt::format("`{}` is not a name for a Kubernetes object", name.text()),
               "use lower-case letters, digits, - and .");
}

void check_external_manifest(const View& document, Report& report) {
  check_object_name(document, report);
  const View value = document["url"];
  const auto url = parse_go_url(value.text());
  if (value.empty() || !url) {
    report.error(document, "`url` is missing", "write https://HOST/PATH");
  } else if (url->scheme != "http" && url->scheme != "https") {
    report.error(value, fmt::format("a manifest cannot be fetched by `{}`", url->scheme),
                 "write https://HOST/PATH");
  }
}

void check_static_pod(const View& document, Report& report) {
  check_object_name(document, report);
  if (document["pod"].count() == 0) report.error(document, "`pod` is missing", "add it");
}

void check_api_access(const View& document, Report& report) {
  const View roles = document["allowedRoles"];
  if (roles.count() == 0) {
    report.warning(document, "no role is allowed, so nothing is", "add allowedRoles");
  }
  check_roles(roles, report);
}

}  // namespace

std::span<const DocumentRule> kubernetes_document_rules() {
  static constexpr DocumentRule list[] = {
      {"KubeAPIServerCAConfig", check_api_server_ca},
      {"KubeAPIServerConfig", check_api_server},
      {"KubeAdmissionControlConfig", require_name},
      {"KubeAggregatorCAConfig", check_aggregator_ca},
      {"KubeAuthorizerConfig", check_authorizer},
      {"KubeClusterConfig", check_cluster_config},
      {"KubeControllerManagerConfig", check_controller_manager},
      {"KubeEtcdEncryptionConfig", check_encryption_config},
      {"KubeExternalManifestConfig", check_external_manifest},
      {"KubeFlannelCNIConfig", check_flannel},
      {"KubeInlineManifestConfig", check_object_name},
      {"KubeNetworkConfig", check_network_config},
      {"KubeNodeConfig", check_node_config},
      {"KubePrismConfig", check_prism},
      {"KubeProxyConfig", check_proxy},
      {"KubeSchedulerConfig", check_scheduler},
      {"KubeServiceAccountConfig", check_service_account},
      {"KubeStaticPodConfig", check_static_pod},
      {"KubeTalosAPIAccessConfig", check_api_access},
      {"KubeletConfig", check_kubelet_config},
  };
  return list;
}

}  // namespace ichor::validate
