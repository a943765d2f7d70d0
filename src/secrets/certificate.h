#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"
#include "model/ids.h"
#include "secrets/key.h"

struct x509_st;

namespace ichor::pki {

/// A certificate in PEM form and its key with Talos' label.
struct CertificateAndKey {
  std::string certificate;
  SecretString key;
};

/// What a certificate says, for checks and for people.
struct CertificateFacts {
  std::vector<std::string> organizations;  // of the subject, in order
  std::string common_name;
  std::vector<std::string> issuer_organizations;
  std::string issuer;  // in one line: "O=talos"; empty for an empty name
  WallTime not_before;
  WallTime not_after;
  bool is_ca{false};
  bool server_auth{false};
  bool client_auth{false};
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  Fingerprint fingerprint;  // of its public key
};

/// A certificate that was read, for more than one question: reading is what costs.
class Certificate {
 public:
  /// The first of a PEM text.
  static Result<Certificate> from_pem(std::string_view pem);

  CertificateFacts facts() const;
  /// Whether the key belongs to it.
  bool matches(const PrivateKey& key) const;

 private:
  explicit Certificate(std::shared_ptr<x509_st> handle) : handle_(std::move(handle)) {}

  std::shared_ptr<x509_st> handle_;
};

/// The facts of the first certificate of a PEM text.
Result<CertificateFacts> inspect(std::string_view pem);

/// base64(SHA-256(SubjectPublicKeyInfo)), as Talos prints it on the console.
Result<Fingerprint> fingerprint_of(std::string_view pem);

/// Whether `now` lies outside of the certificate's validity, or will within `margin`.
bool expires_within(const CertificateFacts& facts, WallTime now, Duration margin);

/// Whether the key belongs to the certificate.
bool matches(std::string_view certificate_pem, const PrivateKey& key);

/// Whether `ca_pem` signed `pem`; validity and purpose are not looked at.
bool signed_by(std::string_view pem, std::string_view ca_pem);

}  // namespace ichor::pki
