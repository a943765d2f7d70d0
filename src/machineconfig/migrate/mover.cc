#include "machineconfig/migrate/mover.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "machineconfig/document.h"
#include "secrets/base64.h"

namespace ichor::migrate {

namespace {

// As `talosctl gen config` writes them; kinds that are not here follow in the order of the file.
constexpr std::array<std::string_view, 52> kOrder{"DiscoveryServiceConfig",
                                                  "DiscoveryIdentityConfig",
                                                  "UnattendedInstallConfig",
                                                  "ResolverConfig",
                                                  "VolumeConfig",
                                                  "FilesystemTrimConfig",
                                                  "SecurityProfileConfig",
                                                  "RegistryMirrorConfig",
                                                  "RegistryTLSConfig",
                                                  "RegistryAuthConfig",
                                                  "HostnameConfig",
                                                  "LinkAliasConfig",
                                                  "LinkConfig",
                                                  "BondConfig",
                                                  "BridgeConfig",
                                                  "DummyLinkConfig",
                                                  "VLANConfig",
                                                  "WireguardConfig",
                                                  "DHCPv4Config",
                                                  "DHCPv6Config",
                                                  "Layer2VIPConfig",
                                                  "HCloudVIPConfig",
                                                  "StaticHostConfig",
                                                  "TimeSyncConfig",
                                                  "KubeSpanConfig",
                                                  "SysctlConfig",
                                                  "SysfsConfig",
                                                  "KernelModuleConfig",
                                                  "UdevRulesConfig",
                                                  "EnvironmentConfig",
                                                  "CRIBaseRuntimeSpecConfig",
                                                  "CRICustomizationConfig",
                                                  "ImageCacheConfig",
                                                  "KubeClusterConfig",
                                                  "KubeNodeConfig",
                                                  "KubeletConfig",
                                                  "KubeCredentialProviderConfig",
                                                  "KubeNetworkConfig",
                                                  "KubeAPIServerCAConfig",
                                                  "KubePrismConfig",
                                                  "KubeTalosAPIAccessConfig",
                                                  "KubeAggregatorCAConfig",
                                                  "KubeAdmissionControlConfig",
                                                  "KubeAuditPolicyConfig",
                                                  "KubeAuthenticationConfig",
                                                  "KubeAuthorizerConfig",
                                                  "KubeEtcdEncryptionConfig",
                                                  "KubeServiceAccountConfig",
                                                  "KubeAPIServerConfig",
                                                  "KubeControllerManagerConfig",
                                                  "KubeSchedulerConfig",
                                                  "KubeProxyConfig"};

std::size_t place_of(const yaml::Node& document) {
  const yaml::Node* kind = document.find("kind");
  const auto place = std::find(kOrder.begin(), kOrder.end(), kind ? kind->text : "");
  return static_cast<std::size_t>(place - kOrder.begin());
}

bool is(const yaml::Node& document, std::string_view kind, std::string_view name) {
  const yaml::Node* own_kind = document.find("kind");
  const yaml::Node* own_name = document.find("name");
  return own_kind && own_kind->text == kind && (own_name ? own_name->text : "") == name;
}

/// The version at the end of an image: "v1.36.1" of "ghcr.io/siderolabs/kubelet:v1.36.1".
std::string tag_of(const std::string& image) {
  const std::size_t colon = image.find_last_of(":/");
  return colon == std::string::npos || image[colon] == '/' ? "" : image.substr(colon + 1);
}

/// Mappings that everything was taken out of go as well: an empty section is an old section too.
bool prune(yaml::Node& node) {
  std::erase_if(node.entries,
                [](yaml::Entry& entry) { return entry.value.is_mapping() && prune(entry.value); });
  return node.entries.empty();
}

}  // namespace

yaml::Node* find(yaml::Node& mapping, std::string_view key) {
  return const_cast<yaml::Node*>(mapping.find(key));
}

void put(yaml::Node& mapping, std::string_view key, yaml::Node value) {
  if (yaml::Node* present = find(mapping, key)) {
    *present = std::move(value);
    return;
  }
  mapping.kind = yaml::Kind::mapping;
  mapping.entries.push_back({yaml::make_string(key), std::move(value)});
}

void erase(yaml::Node& mapping, std::string_view key) {
  std::erase_if(mapping.entries, [&](const yaml::Entry& entry) { return entry.key.text == key; });
}

std::string to_path(Keys keys) { return fmt::format("{}", fmt::join(keys, ".")); }

Mover::Mover(yaml::Node old, std::vector<yaml::Node> typed, bool patch,
             std::string kubernetes_version)
    : old_(std::move(old)),
      typed_(typed.begin(), typed.end()),
      patch_(patch),
      kubernetes_version_(std::move(kubernetes_version)) {
  const std::string type = text({"machine", "type"});
  control_plane_ = !patch_ && (type == "controlplane" || type == "init");
  if (kubernetes_version_.empty()) {
    kubernetes_version_ = tag_of(text({"machine", "kubelet", "image"}));
  }
}

std::string Mover::text(Keys keys) const {
  const yaml::Node* node = peek(keys);
  return node && node->is_scalar() ? node->text : "";
}

std::optional<yaml::Node> Mover::take(Keys keys) {
  yaml::Node* parent = &old_;
  for (const std::string_view* key = keys.begin(); key + 1 != keys.end(); ++key) {
    parent = find(*parent, *key);
    if (!parent) return std::nullopt;
  }
  const std::string_view last = *(keys.end() - 1);
  yaml::Node* node = find(*parent, last);
  if (!node) return std::nullopt;
  yaml::Node taken = std::move(*node);
  erase(*parent, last);
  if (taken.is_null()) return std::nullopt;
  return taken;
}

void Mover::give_back(Keys keys, yaml::Node value) {
  yaml::Node* parent = &old_;
  for (const std::string_view* key = keys.begin(); key + 1 != keys.end(); ++key) {
    if (!find(*parent, *key)) put(*parent, *key, yaml::map());
    parent = find(*parent, *key);
  }
  put(*parent, *(keys.end() - 1), std::move(value));
}

yaml::Node& Mover::document(std::string_view kind, std::string_view name) {
  if (const yaml::Node* present = find_document(kind, name)) {
    return const_cast<yaml::Node&>(*present);
  }
  yaml::Map fresh = typed_document(kind);
  if (!name.empty()) fresh.set("name", name);
  typed_.push_back(std::move(fresh).done());
  return typed_.back();
}

const yaml::Node* Mover::find_document(std::string_view kind, std::string_view name) const {
  const auto found = std::find_if(typed_.begin(), typed_.end(),
                                  [&](const yaml::Node& node) { return is(node, kind, name); });
  return found == typed_.end() ? nullptr : &*found;
}

void Mover::move(Keys from, yaml::Node& document, std::string_view key) {
  if (auto value = take(from)) put(document, key, *std::move(value));
}

void Mover::delete_document(std::string_view kind, std::string_view name) {
  put(document(kind, name), "$patch", yaml::make_string("delete"));
}

void Mover::note(Severity severity, Keys keys, std::string what, std::string fix) {
  // A key that was taken stands where its parent does.
  const yaml::Node* node = &old_;
  for (const std::string_view key : keys) {
    const yaml::Node* next = node->find(key);
    if (!next) break;
    node = next;
  }
  notes_.push_back({severity, node->at, to_path(keys), std::move(what), std::move(fix), false});
}

void Mover::warn(Keys keys, std::string what, std::string fix) {
  note(Severity::warning, keys, std::move(what), std::move(fix));
}

void Mover::warn_of_file(Keys keys, std::string what, std::string fix) {
  warn(keys, std::move(what), std::move(fix));
  notes_.back().about_file = true;
}

void Mover::refuse(Keys keys, std::string what, std::string fix) {
  note(patch_ ? Severity::error : Severity::warning, keys, std::move(what), std::move(fix));
}

std::vector<yaml::Node> Mover::documents() const {
  std::vector<yaml::Node> all(typed_.begin(), typed_.end());
  std::stable_sort(all.begin(), all.end(), [](const yaml::Node& left, const yaml::Node& right) {
    return place_of(left) < place_of(right);
  });
  yaml::Node old = old_;
  if (!prune(old)) all.insert(all.begin(), std::move(old));
  return all;
}

yaml::Node decoded_pem(const yaml::Node& base64) {
  return yaml::make_string(pki::from_base64(base64.text).value_or(base64.text));
}

yaml::Node certificate_and_key(const yaml::Node& old) {
  yaml::Map pair;
  if (const yaml::Node* certificate = old.find("crt")) pair.set("cert", decoded_pem(*certificate));
  const yaml::Node* key = old.find("key");
  if (key && !key->text.empty()) pair.set("key", decoded_pem(*key));
  return pair;
}

yaml::Node inverted(const yaml::Node& flag) { return yaml::make_bool(flag.text != "true"); }

}  // namespace ichor::migrate
