#pragma once

#include <string>
#include <vector>

#include "talos/certificate.h"
#include "talos/credentials.h"

namespace ichor {

/// A certificate with its key, for tests. Ed25519, as Talos makes them.
struct TestCertificate {
  pki::X509Handle certificate;
  pki::Pkey key;

  std::string pem() const;
  std::string key_pem() const;
  Fingerprint fingerprint() const { return fingerprint_of(*certificate); }
};

struct CertificateOptions {
  std::string organization;
  std::vector<std::string> ip_names;
  bool is_ca{false};
  bool for_client{false};
  long valid_from_s{-3600};  // seconds from now
  long valid_to_s{3600};
};

/// Signed by `issuer`, or by itself if there is none.
TestCertificate make_certificate(const CertificateOptions& options, const TestCertificate* issuer);

TestCertificate make_ca(const std::string& organization);
TestCertificate make_server_certificate(const TestCertificate& ca, const std::string& ip);

/// What a talosconfig of the cluster with this CA carries.
TalosCredentials make_credentials(const TestCertificate& ca);

}  // namespace ichor
