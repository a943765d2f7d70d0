#pragma once

#include <atomic>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <memory>
#include <string>

#include "model/ids.h"

namespace ichor {

/// The handshakes of one channel, counted from gRPC's threads.
struct HandshakeLog {
  std::atomic<int> begun{0};
  std::atomic<bool> refused{false};
};

/// What the server of a channel must show in its handshake.
struct HandshakeDemand {
  Fingerprint fingerprint;  // of the leaf that the probe saw
  std::string ca_pem;       // of a configured node's cluster; empty in maintenance mode
  IpAddress address;        // that the certificate must name, if there is a CA
};

/// Sits in the handshake of a channel, before any byte of a request. It lets through the first
/// handshake with the demanded key and nothing else: gRPC reconnects a broken channel behind our
/// back, and what was proved on the first connection does not hold for the second. So a request can
/// only ever travel on the connection that was proved.
class HandshakeGuard final : public grpc::experimental::ExternalCertificateVerifier {
 public:
  HandshakeGuard(HandshakeDemand demand, std::shared_ptr<HandshakeLog> log);

  bool Verify(grpc::experimental::TlsCustomVerificationCheckRequest* request,
              std::function<void(grpc::Status)> callback, grpc::Status* sync_status) override;
  void Cancel(grpc::experimental::TlsCustomVerificationCheckRequest*) override {}

 private:
  bool accepts(std::string_view leaf_pem) const;

  HandshakeDemand demand_;
  std::shared_ptr<HandshakeLog> log_;
};

}  // namespace ichor
