#include <fmt/format.h>
#include <set>

#include "machineconfig/migrate/settings_reader.h"

namespace ichor::migrate {

namespace {

const std::vector<yaml::Node>& items_of(const yaml::Node* list) {
  static const std::vector<yaml::Node> none;
  return list ? list->items : none;
}

}  // namespace

void Reader::read_typed_addressing(const std::string& name, const yaml::Node& document) {
  set("link " + name, "");
  for (const yaml::Node& item : items_of(document.find("addresses"))) {
    set(fmt::format("link {} address {}", name, text_of(item, "address")), "");
  }
  for (const yaml::Node& route : items_of(document.find("routes"))) {
    set(fmt::format("link {} route {} via {}", name, text_of(route, "destination"),
                    text_of(route, "gateway")),
        fmt::format("{}/{}/{}", text_of(route, "source"), text_of(route, "metric"),
                    text_of(route, "mtu")));
  }
  if (document.find("mtu")) set("link " + name + " mtu", text_of(document, "mtu"));
}

bool Reader::read_typed_link(const std::string& kind, const std::string& own,
                             const yaml::Node& document) {
  static const std::map<std::string, std::string> stacks{
      {"LinkConfig", ""},     {"VLANConfig", ""},         {"DummyLinkConfig", ""},
      {"BondConfig", "bond"}, {"BridgeConfig", "bridge"}, {"WireguardConfig", "wireguard"}};
  static const std::set<std::string> common{"apiVersion", "kind",   "name",   "up",    "mtu",
                                            "addresses",  "routes", "parent", "vlanID"};
  const std::string name = link_name(own);
  if (kind == "LinkAliasConfig") {
    const yaml::Node* match = document.find_path({"selector", "match"});
    aliases_[own] = match ? match->text : "";
    return true;
  }
  if (kind == "DHCPv4Config") {
    set("link " + name + " dhcp4", text_of(document, "routeMetric"));
    return true;
  }
  if (kind == "DHCPv6Config") {
    set("link " + name + " dhcp6",
        text_of(document, "routeMetric") + " " + text_of(document, "duidRaw"));
    return true;
  }
  if (kind == "Layer2VIPConfig" || kind == "HCloudVIPConfig") {
    set("vip " + own, link_name(text_of(document, "link")) + " " + text_of(document, "apiToken"));
    return true;
  }
  const auto stack = stacks.find(kind);
  if (stack == stacks.end()) return false;
  read_typed_addressing(name, document);
  if (kind == "VLANConfig") {
    set("link " + name + " vlan",
        text_of(document, "vlanID") + " on " + link_name(text_of(document, "parent")));
  }
  if (kind == "DummyLinkConfig") set("link " + name + " dummy", "true");
  for (const yaml::Entry& entry : document.entries) {
    if (common.contains(entry.key.text)) continue;
    flatten(entry.value, fmt::format("link {} {}.{}", name, stack->second, entry.key.text));
  }
  return true;
}

void Reader::read_typed_encryption(const yaml::Node& document) {
  for (const yaml::Node& resource : items_of(document.find_path({"config", "resources"}))) {
    for (const yaml::Node& provider : items_of(resource.find("providers"))) {
      for (const yaml::Entry& cipher : provider.entries) {
        for (const yaml::Node& key : items_of(cipher.value.find("keys"))) {
          set(fmt::format("etcd key {} {}", text_of(key, "name"), cipher.key.text),
              text_of(key, "secret"));
        }
      }
    }
  }
}

bool Reader::read_typed_kubernetes(const std::string& kind, const std::string& name,
                                   const yaml::Node& document) {
  const bool deleted = text_of(document, "$patch") == "delete";
  if (kind == "KubeAuthorizerConfig") {
    const std::string type = text_of(document, "type");
    const bool builtin = type == "Node" || type == "RBAC";
    const std::string own = "authorizer " + (builtin ? type : name);
    set(own, builtin ? "" : type);
    if (const yaml::Node* webhook = document.find("webhook")) flatten(*webhook, own);
  } else if (kind == "KubeAdmissionControlConfig") {
    set("admission " + name, deleted ? "deleted" : "");
    const yaml::Node* body = document.find("configuration");
    if (body) flatten(*body, "admission " + name);
  } else if (kind == "KubeEtcdEncryptionConfig") {
    read_typed_encryption(document);
  } else if (kind == "KubePrismConfig") {
    set("kubeprism", deleted ? "off" : text_of(document, "port"));
  } else if (kind == "KubeTalosAPIAccessConfig" && deleted) {
    set("Talos API access", "off");
  } else if (kind == "KubeFlannelCNIConfig" && deleted) {
    set("cni", "other");
  } else if (kind == "KubeExternalManifestConfig") {
    const std::string own = "manifest " + text_of(document, "url");
    set(own, "");
    if (const yaml::Node* headers = document.find("headers")) flatten(*headers, own);
  } else if (kind == "KubeInlineManifestConfig") {
    set("inline manifest " + name, text_of(document, "manifest"));
  } else if (kind == "KubeStaticPodConfig") {
    if (const yaml::Node* pod = document.find("pod")) flatten(*pod, "static pod " + name);
  } else if (kind == "KubeAuthenticationConfig") {
    if (const yaml::Node* body = document.find("configuration")) read_authentication(*body);
  } else {
    return false;
  }
  return true;
}

/// Whom the API server lets in without credentials, and by whose tokens.
void Reader::read_authentication(const yaml::Node& configuration) {
  const yaml::Node* anonymous = configuration.find("anonymous");
  if (anonymous != nullptr) {
    std::string paths;
    for (const yaml::Node& condition : items_of(anonymous->find("conditions"))) {
      paths += " " + text_of(condition, "path");
    }
    const bool enabled = text_of(*anonymous, "enabled") == "true";
    set("anonymous requests", enabled ? "allowed" + paths : "refused");
  }
  for (const yaml::Node& issuer : items_of(configuration.find("jwt"))) {
    flatten(issuer, "tokens");
  }
}

bool Reader::read_typed_machine(const std::string& kind, const std::string& name,
                                const yaml::Node& document) {
  if (kind == "DiscoveryServiceConfig") {
    const bool deleted = text_of(document, "$patch") == "delete";
    set("discovery", deleted ? "off" : text_of(document, "endpoint"));
  } else if (kind == "KernelModuleConfig") {
    set("module " + name, "");
    const yaml::Node* parameters = document.find("parameters");
    if (parameters) flatten(*parameters, "module " + name);
  } else if (kind == "CRICustomizationConfig") {
    set("cri customization", text_of(document, "content"));
  } else if (kind == "StaticHostConfig") {
    const yaml::Node* names = document.find("hostnames");
    if (names) flatten(*names, "host " + name);
  } else if (kind == "HostnameConfig") {
    const std::string hostname = text_of(document, "hostname");
    set("hostname", hostname.empty() ? text_of(document, "auto") : hostname);
  } else {
    return read_typed_registry(kind, name, document);
  }
  return true;
}

bool Reader::read_typed_registry(const std::string& kind, const std::string& name,
                                 const yaml::Node& document) {
  static const std::set<std::string> head{"apiVersion", "kind", "name"};
  const std::string own = "registry " + name;
  if (kind == "RegistryMirrorConfig") {
    for (const yaml::Node& item : items_of(document.find("endpoints"))) {
      set(fmt::format("mirror {} {}", name, text_of(item, "url")), text_of(item, "overridePath"));
    }
    const std::string skip = text_of(document, "skipFallback");
    if (!skip.empty()) set("mirror " + name + " skipFallback", skip);
  } else if (kind == "RegistryTLSConfig") {
    for (const char* key : {"cert", "key"}) {
      const yaml::Node* value = document.find_path({"clientIdentity", key});
      if (value) set(fmt::format("{} {}", own, key), value->text);
    }
    if (document.find("ca")) set(own + " ca", text_of(document, "ca"));
    const std::string skip = text_of(document, "insecureSkipVerify");
    if (!skip.empty()) set(own + " insecure", skip);
  } else if (kind == "RegistryAuthConfig") {
    for (const yaml::Entry& entry : document.entries) {
      if (!head.contains(entry.key.text)) set(own + " auth." + entry.key.text, entry.value.text);
    }
  } else {
    return false;
  }
  return true;
}

void Reader::read_typed(const yaml::Node& document) {
  constexpr std::string_view kRole = "node-role.kubernetes.io/control-plane";
  const std::string kind = text_of(document, "kind");
  const std::string name = text_of(document, "name");
  kinds_.insert(kind);
  kubernetes_ = kubernetes_ || kind == "KubeAPIServerCAConfig";
  if (read_typed_link(kind, name, document) || read_typed_kubernetes(kind, name, document) ||
      read_typed_machine(kind, name, document)) {
    return;
  }
  yaml::Node body = document;
  for (const char* key : {"apiVersion", "kind", "name"}) take_from(body, key);
  if (kind == "ResolverConfig") {
    for (const yaml::Node& server : take_from(body, "nameservers").items) {
      set("nameserver " + text_of(server, "address"), "");
    }
  }
  if (auto* place = const_cast<yaml::Node*>(body.find("provisioning"));
      place && kind == "UnattendedInstallConfig") {
    const yaml::Node selector = take_from(*place, "diskSelector");
    if (selector.find("match")) set("install disk", text_of(selector, "match"));
  }
  if (kind == "KubeFlannelCNIConfig") set("cni", "flannel");
  if (kind == "KubeAPIServerCAConfig") {
    for (const yaml::Node& ca : take_from(body, "acceptedCAs").items) {
      set("accepted CA " + ca.text, "");
    }
  }
  if (auto* taints = const_cast<yaml::Node*>(body.find("taints"));
      taints && kind == "KubeNodeConfig" && of_.patch) {
    const yaml::Node role = take_from(*taints, kRole);
    if (role.find("$patch")) set("schedulable", "true");
    if (role.is_scalar()) set("schedulable", "false");
  }
  flatten(body, name.empty() ? kind : kind + " " + name);
}

}  // namespace ichor::migrate
