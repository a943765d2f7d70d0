#include "secrets/secrets_bundle.h"

#include <algorithm>
#include <fmt/format.h>

#include "secrets/base64.h"
#include "secrets/digest.h"
#include "secrets/issue.h"
#include "secrets/random.h"
#include "yaml/build.h"
#include "yaml/document.h"
#include "yaml/emit.h"

namespace ichor::pki {

namespace {

SecretString random_base64(std::size_t count) {
  return SecretString(base64(random_bytes(count).reveal()));
}

/// Reads the tree of secrets.yaml; the first trouble is kept.
class SecretsReader {
 public:
  explicit SecretsReader(yaml::Document document) : document_(std::move(document)) {}

  Result<SecretsBundle> run();

 private:
  void refuse(const yaml::Node& at, std::string what, FaultId fault = {}) {
    if (error_) return;
    error_ = Error{Errc::invalid, document_.where(at) + ": " + std::move(what), fault};
  }
  const yaml::Node& section(const yaml::Node& parent, std::string_view key);
  std::string text(const yaml::Node& parent, std::string_view key, bool required = true);
  SecretString secret(const yaml::Node& parent, std::string_view key, bool required = true) {
    return SecretString(text(parent, key, required));
  }
  SecretString token(const yaml::Node& parent, std::string_view key);
  std::string decoded(const yaml::Node& parent, std::string_view key);
  CertificateAndKey pair(const yaml::Node& certs, std::string_view key);
  void check_keys(const yaml::Node& mapping, std::initializer_list<std::string_view> known);

  yaml::Document document_;
  yaml::Node nothing_;
  std::optional<Error> error_;
};

const yaml::Node& SecretsReader::section(const yaml::Node& parent, std::string_view key) {
  const yaml::Node* node = parent.find(key);
  if (node != nullptr && node->is_mapping()) return *node;
  refuse(node != nullptr ? *node : parent, fmt::format("\"{}\" must be a mapping", key));
  return nothing_;
}

std::string SecretsReader::text(const yaml::Node& parent, std::string_view key, bool required) {
  const yaml::Node* node = parent.find(key);
  if (node == nullptr && !required) return {};
  const auto text = node != nullptr ? node->as_text() : std::nullopt;
  if (text && !text->empty()) return std::string(*text);
  refuse(node != nullptr ? *node : parent, fmt::format("\"{}\" is missing or empty", key));
  return {};
}

SecretString SecretsReader::token(const yaml::Node& parent, std::string_view key) {
  SecretString value = secret(parent, key);
  const std::string_view raw = value.reveal();
  const auto good = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  const bool shaped = raw.size() == 23 && raw[6] == '.' &&
                      std::all_of(raw.begin(), raw.begin() + 6, good) &&
                      std::all_of(raw.begin() + 7, raw.end(), good);
  if (!shaped && !value.empty()) {
    refuse(*parent.find(key),
           fmt::format("\"{}\" is not of the form abcdef.0123456789abcdef", key));
  }
  return value;
}

std::string SecretsReader::decoded(const yaml::Node& parent, std::string_view key) {
  const std::string encoded = text(parent, key);
  if (encoded.empty()) return {};
  auto bytes = from_base64(encoded);
  if (bytes) return std::move(*bytes);
  refuse(*parent.find(key), fmt::format("\"{}\" is not base64", key));
  return {};
}

CertificateAndKey SecretsReader::pair(const yaml::Node& certs, std::string_view key) {
  const yaml::Node& node = section(certs, key);
  if (error_) return {};
  check_keys(node, {"crt", "key"});
  CertificateAndKey pair{decoded(node, "crt"), SecretString(decoded(node, "key"))};
  if (error_) return {};
  const auto certificate = Certificate::from_pem(pair.certificate);
  const auto private_key = PrivateKey::from_pem(pair.key);
  if (!certificate) {
    refuse(*node.find("crt"), fmt::format("\"{}.crt\" is {}", key, certificate.error().message),
           "T8");
  } else if (!certificate->facts().is_ca) {
    refuse(*node.find("crt"), fmt::format("\"{}.crt\" is not a certificate authority", key), "T8");
  } else if (!private_key) {
    refuse(*node.find("key"), fmt::format("\"{}.key\" is {}", key, private_key.error().message),
           "T8");
  } else if (!certificate->matches(*private_key)) {
    refuse(*node.find("key"), fmt::format("\"{}.key\" does not belong to its certificate", key),
           "T8");
  }
  return pair;
}

void SecretsReader::check_keys(const yaml::Node& mapping,
                               std::initializer_list<std::string_view> known) {
  for (const yaml::Entry& entry : mapping.entries) {
    if (std::find(known.begin(), known.end(), entry.key.text) == known.end()) {
      refuse(entry.key, fmt::format("unknown key \"{}\"", entry.key.text));
    }
  }
}

Result<SecretsBundle> SecretsReader::run() {
  SecretsBundle bundle;
  const yaml::Node& root = document_.root;
  check_keys(root, {"cluster", "secrets", "trustdinfo", "certs"});
  const yaml::Node& cluster = section(root, "cluster");
  bundle.cluster_id = text(cluster, "id");
  bundle.cluster_secret = secret(cluster, "secret");
  const yaml::Node& secrets = section(root, "secrets");
  check_keys(secrets, {"bootstraptoken", "secretboxencryptionsecret", "aescbcencryptionsecret"});
  bundle.bootstrap_token = token(secrets, "bootstraptoken");
  bundle.secretbox_encryption_secret = secret(secrets, "secretboxencryptionsecret", false);
  bundle.aescbc_encryption_secret = secret(secrets, "aescbcencryptionsecret", false);
  if (bundle.secretbox_encryption_secret.empty() == bundle.aescbc_encryption_secret.empty()) {
    refuse(secrets,
           "exactly one of secretboxencryptionsecret and aescbcencryptionsecret is needed");
  }
  bundle.trustd_token = token(section(root, "trustdinfo"), "token");
  const yaml::Node& certs = section(root, "certs");
  check_keys(certs, {"etcd", "k8s", "k8saggregator", "k8sserviceaccount", "os"});
  bundle.etcd = pair(certs, "etcd");
  bundle.k8s = pair(certs, "k8s");
  bundle.k8s_aggregator = pair(certs, "k8saggregator");
  bundle.os = pair(certs, "os");
  const yaml::Node& service_account = section(certs, "k8sserviceaccount");
  bundle.k8s_service_account_key = SecretString(decoded(service_account, "key"));
  if (!error_ && !PrivateKey::from_pem(bundle.k8s_service_account_key)) {
    refuse(*service_account.find("key"), "\"k8sserviceaccount.key\" is not a private key", "T8");
  }
  yaml::wipe(document_.root);
  if (error_) return tl::unexpected(*error_);
  return bundle;
}

yaml::Node encoded_pair(const CertificateAndKey& pair) {
  return yaml::map().set("crt", base64(pair.certificate)).set("key", base64(pair.key.reveal()));
}

}  // namespace

KeyKind service_account_kind(const TalosVersion& contract) {
  return contract > TalosVersion{1, 6, 0} ? KeyKind::rsa : KeyKind::ecdsa_p256;
}

SecretsBundle generate_secrets(WallTime now, const SecretsOptions& options) {
  SecretsBundle bundle;
  const SecretString id = random_bytes(32);
  bundle.cluster_id = options.standard_cluster_id ? base64(id.reveal()) : base64_url(id.reveal());
  bundle.cluster_secret = random_base64(32);
  bundle.bootstrap_token = random_token();
  bundle.trustd_token = random_token();
  const bool has_secretbox = options.contract > TalosVersion{1, 2, 0};
  (has_secretbox ? bundle.secretbox_encryption_secret : bundle.aescbc_encryption_secret) =
      random_base64(32);
  bundle.os = make_ca("talos", KeyKind::ed25519, now);
  bundle.etcd = make_ca("etcd", KeyKind::ecdsa_p256, now);
  bundle.k8s = make_ca("kubernetes", KeyKind::ecdsa_p256, now);
  bundle.k8s_aggregator = make_ca("", KeyKind::ecdsa_p256, now);
  bundle.k8s_service_account_key =
      options.service_account_key
          ? *options.service_account_key
          : PrivateKey::generate(service_account_kind(options.contract)).to_pem();
  return bundle;
}

SecretsBundle throw_away_secrets(WallTime now, const TalosVersion& contract) {
  SecretsOptions options;
  options.contract = contract;
  options.service_account_key = PrivateKey::generate(KeyKind::ecdsa_p256).to_pem();
  return generate_secrets(now, options);
}

Result<SecretsBundle> read_secrets(std::string_view text, const std::string& file_name) {
  auto document = yaml::parse_single(text, file_name);
  if (!document) return fail(Errc::invalid, document.error().message());
  return SecretsReader(std::move(*document)).run();
}

SecretString write_secrets(const SecretsBundle& bundle) {
  yaml::Map secrets;
  secrets.set("bootstraptoken", bundle.bootstrap_token.reveal());
  if (!bundle.secretbox_encryption_secret.empty()) {
    secrets.set("secretboxencryptionsecret", bundle.secretbox_encryption_secret.reveal());
  }
  if (!bundle.aescbc_encryption_secret.empty()) {
    secrets.set("aescbcencryptionsecret", bundle.aescbc_encryption_secret.reveal());
  }
  yaml::Node root =
      yaml::map()
          .set("cluster", yaml::map()
                              .set("id", bundle.cluster_id)
                              .set("secret", bundle.cluster_secret.reveal()))
          .set("secrets", std::move(secrets))
          .set("trustdinfo", yaml::map().set("token", bundle.trustd_token.reveal()))
          .set("certs",
               yaml::map()
                   .set("etcd", encoded_pair(bundle.etcd))
                   .set("k8s", encoded_pair(bundle.k8s))
                   .set("k8saggregator", encoded_pair(bundle.k8s_aggregator))
                   .set("k8sserviceaccount",
                        yaml::map().set("key", base64(bundle.k8s_service_account_key.reveal())))
                   .set("os", encoded_pair(bundle.os)));
  SecretString text(yaml::emit(root));
  yaml::wipe(root);
  return text;
}

Digest fingerprint_of(const SecretsBundle& bundle) {
  // Lengths keep the parts apart. What stands here must stay as it is: the digest is in journals.
  std::string parts;
  const auto add = [&](std::string_view part) {
    parts += std::to_string(part.size());
    parts += ':';
    parts += part;
  };
  add(bundle.cluster_id);
  for (const SecretString* secret :
       {&bundle.bootstrap_token, &bundle.trustd_token, &bundle.secretbox_encryption_secret,
        &bundle.aescbc_encryption_secret, &bundle.k8s_service_account_key}) {
    add(secret->reveal());
  }
  for (const CertificateAndKey* pair :
       {&bundle.os, &bundle.etcd, &bundle.k8s, &bundle.k8s_aggregator}) {
    add(pair->certificate);
    add(pair->key.reveal());
  }
  const SecretString message(std::move(parts));
  return hmac_sha256(bundle.cluster_secret, message.reveal());
}

}  // namespace ichor::pki
