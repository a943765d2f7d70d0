#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"
#include "model/ids.h"
#include "model/node.h"
#include "secrets/certificate.h"

namespace ichor::pki {

/// All secrets of one cluster, as `talosctl gen secrets` writes them. Made once in its life: a
/// cluster whose secrets are lost or changed can no longer be reached.
struct SecretsBundle {
  std::string cluster_id;  // base64 of 32 bytes, by older contracts with the alphabet of URLs
  SecretString cluster_secret;
  SecretString bootstrap_token;
  SecretString trustd_token;
  SecretString secretbox_encryption_secret;  // exactly one of these two is set
  SecretString aescbc_encryption_secret;
  CertificateAndKey os;
  CertificateAndKey etcd;
  CertificateAndKey k8s;
  CertificateAndKey k8s_aggregator;
  SecretString k8s_service_account_key;
};

struct SecretsOptions {
  TalosVersion contract{1, 12, 0};
  /// The cluster's id gets standard base64, not the alphabet of URLs.
  bool standard_cluster_id{false};
  /// Taken instead of a fresh key: an RSA one takes seconds, and may be made beside other work.
  std::optional<SecretString> service_account_key;
};

/// Which key service accounts get: RSA since 1.7, as talosctl does.
KeyKind service_account_kind(const TalosVersion& contract);

SecretsBundle generate_secrets(WallTime now, const SecretsOptions& options = {});

/// Secrets that no real cluster will have: to lint, to look at nodes, and for a lab. Whole, and
/// made in milliseconds, because the key of the service accounts is an ECDSA one.
SecretsBundle throw_away_secrets(WallTime now, const TalosVersion& contract);

/// Reads secrets.yaml and proves that it is whole: every part there, keys that belong to their
/// certificates, tokens of the right form. The error names file, line and key, never a value.
Result<SecretsBundle> read_secrets(std::string_view text, const std::string& file_name);

/// In talosctl's own form, readable by it.
SecretString write_secrets(const SecretsBundle& bundle);

/// Tells two bundles apart and nothing else: an HMAC over all parts with the cluster's own secret
/// as key.
Digest fingerprint_of(const SecretsBundle& bundle);

}  // namespace ichor::pki
