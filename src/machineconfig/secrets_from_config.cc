#include "machineconfig/secrets_from_config.h"

#include <fmt/format.h>

#include "machineconfig/typed_config.h"
#include "pki/base64.h"

namespace ichor {

namespace {

/// Reads parts of the v1alpha1 document and keeps the first one that is missing.
class Parts {
 public:
  explicit Parts(const yaml::Node& root) : root_(root) {}

  std::string text(std::initializer_list<std::string_view> keys, bool required = true) {
    const yaml::Node* node = root_.find_path(keys);
    if (node != nullptr && !node->text.empty()) return node->text;
    if (required && missing_.empty()) {
      missing_ = fmt::format("{}", fmt::join(std::vector<std::string_view>(keys), "."));
    }
    return {};
  }
  std::string decoded(std::initializer_list<std::string_view> keys) {
    return pki::from_base64(text(keys)).value_or("");
  }
  SecretString secret(std::initializer_list<std::string_view> keys, bool required = true) {
    return SecretString(text(keys, required));
  }
  const std::string& missing() const { return missing_; }

 private:
  const yaml::Node& root_;
  std::string missing_;
};

}  // namespace

Result<pki::SecretsBundle> secrets_from_config(std::string_view text, const std::string& file) {
  auto documents = read_config(text, file);
  if (!documents) return tl::unexpected(std::move(documents).error());
  const yaml::Node nothing;
  const yaml::Node* root = &nothing;
  for (const ConfigDocument& document : *documents) {
    if (document.kind == nullptr) root = &document.value;
  }
  Parts parts(*root);
  pki::SecretsBundle bundle;
  bundle.cluster_id = parts.text({"cluster", "id"});
  bundle.cluster_secret = parts.secret({"cluster", "secret"});
  bundle.bootstrap_token = parts.secret({"cluster", "token"});
  bundle.trustd_token = parts.secret({"machine", "token"});
  bundle.secretbox_encryption_secret =
      parts.secret({"cluster", "secretboxEncryptionSecret"}, false);
  bundle.aescbc_encryption_secret = parts.secret({"cluster", "aescbcEncryptionSecret"}, false);
  bundle.os = {parts.decoded({"machine", "ca", "crt"}),
               SecretString(parts.decoded({"machine", "ca", "key"}))};
  bundle.k8s = {parts.decoded({"cluster", "ca", "crt"}),
                SecretString(parts.decoded({"cluster", "ca", "key"}))};
  bundle.k8s_aggregator = {parts.decoded({"cluster", "aggregatorCA", "crt"}),
                           SecretString(parts.decoded({"cluster", "aggregatorCA", "key"}))};
  bundle.etcd = {parts.decoded({"cluster", "etcd", "ca", "crt"}),
                 SecretString(parts.decoded({"cluster", "etcd", "ca", "key"}))};
  bundle.k8s_service_account_key =
      SecretString(parts.decoded({"cluster", "serviceAccount", "key"}));
  const std::string missing = parts.missing();
  wipe(*documents);
  if (!missing.empty()) {
    return fail(Errc::invalid,
                fmt::format("{}: {} is missing; this is no control plane's config", file, missing));
  }
  return bundle;
}

}  // namespace ichor
