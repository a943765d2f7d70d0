#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/ids.h"
#include "secrets/openssl.h"

namespace ichor {

/// What is wrong with a server's certificate, seen from the cluster's CA.
enum class ChainFault {
  none,
  foreign_ca,  // not signed by it
  expired,     // signed by it, but the time is not within its validity
  wrong_name,  // signed by it, for another address
};

/// A private key in PEM; null if it cannot be read. Talos' own label "ED25519 PRIVATE KEY", which
/// OpenSSL does not know, is understood.
pki::Pkey key_from_pem(std::string_view pem);

/// The PEM with Talos' label replaced by the standard one, for libraries that read it themselves.
std::string standard_key_label(std::string_view pem);

/// base64(SHA-256(SubjectPublicKeyInfo)), as Talos prints it on the console and talosctl takes it.
Fingerprint fingerprint_of(const X509& leaf);

/// When its validity ends; zero for a certificate that does not say it.
WallTime expiry_of(const X509& leaf);

/// Judges `leaf` as the certificate of the server at `address` under `ca`, now.
ChainFault judge_chain(X509& leaf, X509& ca, const IpAddress& address);

/// By how many seconds this machine's clock is past the certificate's validity, or, negative,
/// before it; zero within it. The clocks of a node that has just made it and of this machine are at
/// least so far apart (T7).
std::int64_t seconds_outside(const X509& leaf);

/// The subject or issuer in one line, for people.
std::string name_text(const X509_NAME* name);

/// One part of it, as `nid` names it; empty if there is none.
std::string part_of_name(const X509_NAME* name, int nid);

}  // namespace ichor
