#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "model/call.h"
#include "model/ids.h"
#include "talos/certificate.h"
#include "talos/credentials.h"
#include "talos/endpoint.h"

namespace ichor {

/// What one plain TLS handshake showed. Nothing but the handshake is sent.
struct ProbeReport {
  bool shook_hands{false};  // if not, `code` and `text` say why
  Code code{Code::unavailable};
  std::string text;

  Fingerprint fingerprint;          // of the leaf
  std::string issuer;               // of the leaf
  bool wants_client{false};         // the server asked for a client certificate: a configured node
  std::int64_t seconds_outside{0};  // of its validity, by our clock: see talos/certificate.h
  ChainFault chain{ChainFault::none};  // only if wants_client and we have credentials
  bool client_offered{false};          // we had one, and the server had proved itself
  bool client_accepted{false};         // the server spoke after seeing it
  int alert{-1};                       // the last TLS alert from the server
  std::string tls_version;             // "TLSv1.3"
  std::string alpn;                    // "h2"
};

/// Learns who answers at an address before a channel is opened there, because gRPC does not tell in
/// its status what the TLS layer knows (an alert, a request for a certificate, an issuer).
///
/// All probes run on one thread of this object, which waits for all their sockets at once: a
/// thousand silent nodes cost a thousand sockets and no threads. TLS 1.3 with ALPN h2 is demanded.
/// If the server asks for a client certificate and is itself proved by the cluster's CA, ours is
/// shown, and the server's first bytes or its alert are awaited: in TLS 1.3 a client learns only
/// then whether its certificate was taken.
class Prober {
 public:
  explicit Prober(const TalosCredentials* credentials);
  ~Prober();
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  struct Target {
    Endpoint endpoint;
    IpAddress address;  // that the certificate of a configured node must name
    Duration limit{};   // in real time
  };
  using Done = std::function<void(ProbeReport)>;

  /// Calls `done` once, on the prober's thread; never after the prober's end.
  void start(Target target, Done done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ichor
