#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "secrets/certificate.h"

namespace ichor::pki {

inline constexpr Duration kCaLifetime = std::chrono::hours(87600);
inline constexpr Duration kClientLifetime = std::chrono::hours(8760);

/// A self-signed authority as Talos makes them: 128-bit random serial, 20 random bytes as subject
/// key id, digital signature and certificate signing, server and client authentication, CA:TRUE
/// critical. An empty organization gives an empty subject.
CertificateAndKey make_ca(const std::string& organization, KeyKind kind, WallTime now,
                          Duration lifetime = kCaLifetime);

struct LeafRequest {
  std::vector<std::string> organizations;
  std::string common_name;
  bool server_auth{false};
  bool client_auth{false};
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  WallTime not_before;
  Duration lifetime{kClientLifetime};
};

/// A certificate under `ca` with a fresh key, or for a key that is there. Fails if the authority's
/// key cannot be read, does not belong to its certificate, or an address is none.
Result<CertificateAndKey> issue(const CertificateAndKey& ca, const LeafRequest& request,
                                KeyKind kind);
Result<std::string> issue_for(const CertificateAndKey& ca, const LeafRequest& request,
                              const PrivateKey& key);

/// A self-signed certificate without an authority, as a node shows in maintenance mode.
Result<CertificateAndKey> issue_self_signed(const LeafRequest& request, KeyKind kind);
Result<CertificateAndKey> issue_self_signed(const LeafRequest& request, const PrivateKey& key);

/// For a talosconfig: Ed25519, the roles as organizations, client authentication.
Result<CertificateAndKey> issue_talos_client(const CertificateAndKey& os_ca,
                                             const std::vector<std::string>& roles, WallTime now,
                                             Duration lifetime = kClientLifetime);

}  // namespace ichor::pki
