#include "machineconfig/secrets_from_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>

#include "machineconfig/typed_config.h"
#include "secrets/base64.h"

namespace ichor {

namespace {

using Keys = std::initializer_list<std::string_view>;

/// Reads parts of a config, be they in the v1alpha1 document or in typed ones, and keeps the first
/// one that is missing.
class Parts {
 public:
  explicit Parts(const ConfigDocuments& documents) : documents_(documents) {}

  /// The text under the keys of the v1alpha1 document.
  std::string text(Keys keys, bool required = true) {
    std::string found = text_in("", keys);
    if (found.empty() && required)
      miss(fmt::format("{}", fmt::join(std::vector<std::string_view>(keys), ".")));
    return found;
  }
  std::string decoded(Keys keys) { return pki::from_base64(text(keys)).value_or(""); }
  SecretString secret(Keys keys, bool required = true) {
    return SecretString(text(keys, required));
  }

  /// The text under the keys of a typed document; else, where it was before.
  std::string typed(std::string_view kind, Keys keys, Keys before) {
    std::string found = text_in(kind, keys);
    return found.empty() ? text(before) : found;
  }
  /// The same where it was base64 before.
  std::string typed_pem(std::string_view kind, Keys keys, Keys before) {
    std::string found = text_in(kind, keys);
    return found.empty() ? decoded(before) : found;
  }

  /// The first key with which secrets are encrypted, if the first provider is secretbox.
  SecretString typed_secretbox() const {
    const yaml::Node* document = find("KubeEtcdEncryptionConfig");
    const yaml::Node* resources =
        document != nullptr ? document->find_path({"config", "resources"}) : nullptr;
    if (resources == nullptr) return {};
    for (const yaml::Node& resource : resources->items) {
      const yaml::Node* names = resource.find("resources");
      const yaml::Node* providers = resource.find("providers");
      if (names == nullptr || providers == nullptr || providers->items.empty()) continue;
      const bool fits = std::any_of(names->items.begin(), names->items.end(),
                                    [](const auto& name) { return name.text == "secrets"; });
      const yaml::Node* keys = providers->items.front().find_path({"secretbox", "keys"});
      if (!fits || keys == nullptr || keys->items.empty()) continue;
      const yaml::Node* secret = keys->items.front().find("secret");
      return SecretString(secret != nullptr ? secret->text : "");
    }
    return {};
  }

  const std::string& missing() const { return missing_; }

 private:
  const yaml::Node* find(std::string_view kind) const {
    for (const ConfigDocument& document : documents_) {
      const std::string_view own(document.kind != nullptr ? document.kind->kind.c_str() : "");
      if (own == kind) return &document.value;
    }
    return nullptr;
  }
  std::string text_in(std::string_view kind, Keys keys) const {
    const yaml::Node* document = find(kind);
    const yaml::Node* node = document != nullptr ? document->find_path(keys) : nullptr;
    return node != nullptr ? node->text : "";
  }
  void miss(std::string what) {
    if (missing_.empty()) missing_ = std::move(what);
  }

  const ConfigDocuments& documents_;
  std::string missing_;
};

}  // namespace

Result<pki::SecretsBundle> secrets_from_config(std::string_view text, const std::string& file) {
  auto documents = read_config(text, file);
  if (!documents) return forward_error(documents);
  Parts parts(*documents);
  pki::SecretsBundle bundle;
  bundle.cluster_id = parts.typed("DiscoveryIdentityConfig", {"clusterID"}, {"cluster", "id"});
  bundle.cluster_secret = SecretString(
      parts.typed("DiscoveryIdentityConfig", {"clusterSecret"}, {"cluster", "secret"}));
  bundle.bootstrap_token = parts.secret({"cluster", "token"});
  bundle.trustd_token = parts.secret({"machine", "token"});
  bundle.secretbox_encryption_secret = parts.typed_secretbox();
  if (bundle.secretbox_encryption_secret.empty()) {
    bundle.secretbox_encryption_secret =
        parts.secret({"cluster", "secretboxEncryptionSecret"}, false);
  }
  bundle.aescbc_encryption_secret = parts.secret({"cluster", "aescbcEncryptionSecret"}, false);
  bundle.os = {parts.decoded({"machine", "ca", "crt"}),
               SecretString(parts.decoded({"machine", "ca", "key"}))};
  const auto ca = [&](std::string_view kind, std::string_view before) {
    std::string certificate =
        parts.typed_pem(kind, {"issuingCA", "cert"}, {"cluster", before, "crt"});
    std::string key = parts.typed_pem(kind, {"issuingCA", "key"}, {"cluster", before, "key"});
    return pki::CertificateAndKey{std::move(certificate), SecretString(std::move(key))};
  };
  bundle.k8s = ca("KubeAPIServerCAConfig", "ca");
  bundle.k8s_aggregator = ca("KubeAggregatorCAConfig", "aggregatorCA");
  bundle.etcd = {parts.decoded({"cluster", "etcd", "ca", "crt"}),
                 SecretString(parts.decoded({"cluster", "etcd", "ca", "key"}))};
  bundle.k8s_service_account_key = SecretString(parts.typed_pem(
      "KubeServiceAccountConfig", {"issuer", "privateKey"}, {"cluster", "serviceAccount", "key"}));
  const std::string missing = parts.missing();
  wipe(*documents);
  if (!missing.empty()) {
    return fail(
        Errc::invalid,
        fmt::format("{}: {} is missing; this is not a control plane's config", file, missing));
  }
  return bundle;
}

}  // namespace ichor
