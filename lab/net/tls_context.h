#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "secrets/certificate.h"

struct ssl_ctx_st;
struct ssl_st;

namespace ichor::lab {

/// How a server shows itself and what it wants of its clients.
struct TlsSettings {
  enum class Clients { not_asked, optional, required };

  pki::CertificateAndKey identity;  // only the leaf is sent
  Clients clients{Clients::not_asked};
  std::string client_ca;          // PEM of one or more authorities
  bool only_client_usage{false};  // a client's extended key usage must be exactly clientAuth
  std::string protocol;           // the one ALPN protocol that is spoken, "h2" or "http/1.1"
  bool protocol_required{false};  // a client that does not name it is dropped
  bool oldest_is_1_3{true};       // else 1.2 is taken as well
};

/// The server side of TLS for one certificate; connections share it. Session tickets are off.
class TlsContext {
 public:
  static Result<std::shared_ptr<const TlsContext>> make(TlsSettings settings);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  ssl_ctx_st* handle() const { return handle_; }
  const TlsSettings& settings() const { return settings_; }

 private:
  explicit TlsContext(TlsSettings settings);
  Result<void> load();

  TlsSettings settings_;
  ssl_ctx_st* handle_;
};

/// Who came through a handshake. Without a certificate it is anonymous.
struct Peer {
  bool anonymous{true};
  std::vector<std::string> organizations;
  std::string common_name;
};
Peer peer_of(ssl_st* connection);

}  // namespace ichor::lab
