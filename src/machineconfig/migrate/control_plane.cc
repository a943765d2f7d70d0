#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "machineconfig/migrate/mover.h"
#include "yaml/document.h"

namespace ichor::migrate {

namespace {

bool filled(const yaml::Node* node) {
  return node && (!node->items.empty() || !node->entries.empty() || !node->text.empty());
}

// Arguments that Talos 1.14 refuses in KubeAPIServerConfig.extraArgs, by their beginning.
constexpr std::array<std::string_view, 6> kReservedArguments{
    "anonymous-auth",        "oidc-",
    "authentication-config", "authorization-config",
    "authorization-mode",    "authorization-webhook-"};

std::string component_image(const Mover& mover, std::string_view name) {
  return fmt::format("registry.k8s.io/{}:{}", name, mover.kubernetes_version());
}

/// Moves what all components have. Without an image in a complete config, Talos chose it.
void move_common(Mover& mover, std::string_view section, yaml::Node& document,
                 std::string_view name) {
  if (!mover.patch() && !document.find("image")) {
    put(document, "image", yaml::make_string(component_image(mover, name)));
  }
  for (const char* key : {"image", "extraArgs", "env", "resources"}) {
    mover.move({"cluster", section, key}, document, key);
  }
}

/// Whether a section of a control plane keeps its old form.
bool component_stays(Mover& mover, std::string_view section) {
  if (filled(mover.peek({"cluster", section, "extraVolumes"}))) {
    mover.refuse(
        {"cluster", section, "extraVolumes"},
        "volumes of this component have no typed form in Talos 1.14",
        fmt::format("delete them if Talos writes the file itself (KubeAuthenticationConfig, "
                    "KubeAuditPolicyConfig, ...); until then cluster.{} keeps its old form",
                    section));
    return true;
  }
  if (!mover.patch() && mover.text({"cluster", section, "image"}).empty() &&
      mover.kubernetes_version().empty()) {
    mover.warn(
        {"cluster", section},
        "no image is set, so this section keeps its old form: Talos would choose the version",
        "run this command with --kubernetes-version");
    return true;
  }
  return false;
}

/// Sections of control planes do nothing on a worker, and Talos 1.14 refuses their documents there.
bool drop_on_worker(Mover& mover, std::string_view section) {
  if (!mover.worker()) return false;
  mover.take({"cluster", section});
  return true;
}

void warn_of_workers(Mover& mover, std::string_view section, std::string_view kind) {
  if (!mover.patch()) return;
  mover.warn_of_file(
      {"cluster", section}, fmt::format("{} is refused on workers", kind),
      "apply this patch to control planes only (patches of the role, not of all nodes)");
}

/// An argument of the API server that was moved to KubeAuthenticationConfig, or refused.
bool api_arguments_stay(Mover& mover) {
  const yaml::Node* arguments = mover.peek({"cluster", "apiServer", "extraArgs"});
  if (!arguments) return false;
  bool stays = false;
  for (const yaml::Entry& entry : arguments->entries) {
    const std::string& name = entry.key.text;
    const bool reserved = std::ranges::any_of(
        kReservedArguments, [&](std::string_view start) { return name.starts_with(start); });
    if (!reserved) continue;
    const bool authorizes = name.starts_with("authorization-");
    mover.refuse({"cluster", "apiServer", "extraArgs", name},
                 fmt::format("Talos 1.14 refuses the argument {} in KubeAPIServerConfig", name),
                 authorizes ? "say it in KubeAuthorizerConfig documents and delete the argument; "
                              "until then cluster.apiServer keeps its old form"
                            : "say it in a KubeAuthenticationConfig document (`jwt`, `anonymous`) "
                              "and delete the argument; until then cluster.apiServer keeps its old "
                              "form");
    stays = true;
  }
  return stays;
}

/// Talos adds Node and RBAC to the old form by itself.
void move_authorizers(Mover& mover) {
  const auto list = mover.take({"cluster", "apiServer", "authorizationConfig"});
  bool node = false;
  bool rbac = false;
  if (list) {
    for (const yaml::Node& item : list->items) {
      const yaml::Node* type = item.find("type");
      node = node || (type && type->text == "Node");
      rbac = rbac || (type && type->text == "RBAC");
    }
  }
  const auto add = [&](std::string_view name, std::string_view type) {
    put(mover.document("KubeAuthorizerConfig", name), "type", yaml::make_string(type));
  };
  if (!mover.patch() && !node) add("node", "Node");
  if (!mover.patch() && !rbac) add("rbac", "RBAC");
  if (!list) return;
  for (const yaml::Node& item : list->items) {
    const yaml::Node* name = item.find("name");
    if (!name) continue;
    yaml::Node& document = mover.document("KubeAuthorizerConfig", name->text);
    if (const yaml::Node* type = item.find("type")) put(document, "type", *type);
    if (const yaml::Node* webhook = item.find("webhook")) put(document, "webhook", *webhook);
  }
}

/// With the old form the API server refuses anonymous requests, so Talos gives it no probes.
void add_authentication(Mover& mover) {
  if (mover.patch() || mover.find_document("KubeAuthenticationConfig")) return;
  put(mover.document("KubeAuthenticationConfig"), "configuration",
      yaml::map()
          .set("anonymous", yaml::map().set("enabled", false))
          .set("jwt", yaml::list(std::vector<yaml::Node>())));
}

}  // namespace

void move_api_server(Mover& mover) {
  if (mover.worker()) {
    mover.take({"cluster", "apiServer"});
    mover.take({"cluster", "controlPlane", "localAPIServerPort"});
    return;
  }
  const bool present = mover.has({"cluster", "apiServer"});
  const bool port = mover.has({"cluster", "controlPlane", "localAPIServerPort"});
  if (!present && !port && (mover.patch() || mover.find_document("KubeAPIServerConfig"))) return;
  const bool arguments_stay = api_arguments_stay(mover);
  if (component_stays(mover, "apiServer") || arguments_stay) return;
  warn_of_workers(mover, "apiServer", "KubeAPIServerConfig");
  if (auto policy = mover.take({"cluster", "apiServer", "auditPolicy"})) {
    put(mover.document("KubeAuditPolicyConfig"), "configuration", *std::move(policy));
  }
  if (auto plugins = mover.take({"cluster", "apiServer", "admissionControl"})) {
    for (const yaml::Node& plugin : plugins->items) {
      const yaml::Node* name = plugin.find("name");
      const yaml::Node* configuration = plugin.find("configuration");
      if (!name) continue;
      put(mover.document("KubeAdmissionControlConfig", name->text), "configuration",
          configuration ? *configuration : yaml::map());
    }
  }
  move_authorizers(mover);
  add_authentication(mover);
  mover.take({"cluster", "apiServer", "disablePodSecurityPolicy"});
  const yaml::Node* left = mover.peek({"cluster", "apiServer"});
  if (mover.patch() && !port && (!left || left->entries.empty())) {
    mover.take({"cluster", "apiServer"});
    return;
  }
  yaml::Node& document = mover.document("KubeAPIServerConfig");
  move_common(mover, "apiServer", document, "kube-apiserver");
  mover.move({"cluster", "apiServer", "certSANs"}, document, "certExtraSANs");
  mover.move({"cluster", "controlPlane", "localAPIServerPort"}, document, "apiPort");
  if (!mover.patch()) put(document, "startupProbes", yaml::make_bool(false));
  mover.take({"cluster", "apiServer"});
}

namespace {

void move_component(Mover& mover, std::string_view section, std::string_view kind,
                    std::string_view name) {
  if (drop_on_worker(mover, section)) {
    mover.take({"machine", "controlPlane", section});
    return;
  }
  const bool present = mover.has({"cluster", section});
  const auto disabled = mover.take({"machine", "controlPlane", section, "disabled"});
  if (!present && !disabled && (mover.patch() || mover.find_document(kind))) return;
  if (component_stays(mover, section)) {
    if (disabled) mover.give_back({"machine", "controlPlane", section, "disabled"}, *disabled);
    return;
  }
  warn_of_workers(mover, section, kind);
  yaml::Node& document = mover.document(kind);
  if (disabled) put(document, "enabled", inverted(*disabled));
  move_common(mover, section, document, name);
  if (kind == "KubeSchedulerConfig") {
    if (!mover.patch()) put(document, "config", yaml::map());
    mover.move({"cluster", section, "config"}, document, "config");
  }
  mover.take({"cluster", section});
}

void move_proxy(Mover& mover) {
  if (drop_on_worker(mover, "proxy")) return;
  if (!mover.has({"cluster", "proxy"}) &&
      (mover.patch() || mover.find_document("KubeProxyConfig") ||
       mover.kubernetes_version().empty())) {
    return;
  }
  warn_of_workers(mover, "proxy", "KubeProxyConfig");
  yaml::Node& document = mover.document("KubeProxyConfig");
  if (auto disabled = mover.take({"cluster", "proxy", "disabled"})) {
    put(document, "enabled", inverted(*disabled));
  }
  if (!mover.patch()) {
    if (!mover.kubernetes_version().empty()) {
      put(document, "image", yaml::make_string(component_image(mover, "kube-proxy")));
    }
    put(document, "config", yaml::map());
  }
  for (const char* key : {"image", "mode", "extraArgs"}) {
    mover.move({"cluster", "proxy", key}, document, key);
  }
  mover.take({"cluster", "proxy"});
}

void move_dns(Mover& mover) {
  if (drop_on_worker(mover, "coreDNS")) return;
  const bool present = mover.has({"cluster", "coreDNS"});
  if (!present && (mover.patch() || mover.find_document("KubeCoreDNSConfig"))) return;
  warn_of_workers(mover, "coreDNS", "KubeCoreDNSConfig");
  yaml::Node& document = mover.document("KubeCoreDNSConfig");
  const auto disabled = mover.take({"cluster", "coreDNS", "disabled"});
  if (disabled) {
    put(document, "enabled", inverted(*disabled));
  } else if (!mover.patch()) {
    put(document, "enabled", yaml::make_bool(true));
  }
  mover.move({"cluster", "coreDNS", "image"}, document, "image");
  mover.take({"cluster", "coreDNS"});
}

std::string manifest_name(Mover& mover, const std::string& url) {
  std::string name;
  const std::size_t start = url.find("://");
  for (const char c : url.substr(start == std::string::npos ? 0 : start + 3)) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    name += fits ? c : capital ? static_cast<char>(c - 'A' + 'a') : '-';
  }
  if (name.size() > 60) name = name.substr(name.size() - 60);
  const std::size_t first = name.find_first_not_of('-');
  name = first == std::string::npos ? "manifest" : name.substr(first);
  while (name.back() == '-') name.pop_back();
  std::string unique = name;
  for (int number = 2; mover.find_document("KubeExternalManifestConfig", unique); ++number) {
    unique = fmt::format("{}-{}", name.substr(0, 58), number);
  }
  return unique;
}

void add_manifest(Mover& mover, const yaml::Node& url, const yaml::Node* headers) {
  yaml::Node& document =
      mover.document("KubeExternalManifestConfig", manifest_name(mover, url.text));
  if (headers) put(document, "headers", *headers);
  put(document, "url", url);
}

void move_cni(Mover& mover) {
  auto cni = mover.take({"cluster", "network", "cni"});
  mover.take({"cluster", "network"});
  if (mover.worker()) return;
  if (!cni && (mover.patch() || mover.find_document("KubeFlannelCNIConfig"))) return;
  const yaml::Node* name = cni ? cni->find("name") : nullptr;
  const std::string which = name && !name->text.empty() ? name->text : "flannel";
  if (which != "flannel") {
    if (mover.patch()) mover.delete_document("KubeFlannelCNIConfig");
    const yaml::Node* urls = cni->find("urls");
    if (!urls) return;
    for (const yaml::Node& url : urls->items) add_manifest(mover, url, nullptr);
    return;
  }
  yaml::Node& document = mover.document("KubeFlannelCNIConfig");
  if (!mover.patch()) {
    put(document, "backendType", yaml::make_string("vxlan"));
    put(document, "backendPort", yaml::make_int(4789));
  }
  const yaml::Node* flannel = cni ? cni->find("flannel") : nullptr;
  for (const char* key : {"extraArgs", "kubeNetworkPoliciesEnabled"}) {
    const yaml::Node* value = flannel ? flannel->find(key) : nullptr;
    if (value) put(document, key, *value);
  }
}

}  // namespace

void move_components(Mover& mover) {
  move_component(mover, "controllerManager", "KubeControllerManagerConfig",
                 "kube-controller-manager");
  move_component(mover, "scheduler", "KubeSchedulerConfig", "kube-scheduler");
  move_proxy(mover);
  move_cni(mover);
  move_dns(mover);
}

void move_manifests(Mover& mover) {
  const auto headers = mover.take({"cluster", "extraManifestHeaders"});
  if (auto urls = mover.take({"cluster", "extraManifests"})) {
    for (const yaml::Node& url : urls->items) {
      add_manifest(mover, url, headers ? &*headers : nullptr);
    }
  }
  auto manifests = mover.take({"cluster", "inlineManifests"});
  if (!manifests) return;
  for (const yaml::Node& manifest : manifests->items) {
    const yaml::Node* name = manifest.find("name");
    const yaml::Node* contents = manifest.find("contents");
    if (!name) continue;
    put(mover.document("KubeInlineManifestConfig", name->text), "manifest",
        contents ? *contents : yaml::make_string(""));
  }
}

}  // namespace ichor::migrate
