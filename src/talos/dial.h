#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>

#include "async/task.h"
#include "grpc/channel.h"
#include "port/talos_api.h"
#include "secrets/openssl.h"
#include "talos/credentials.h"
#include "talos/endpoint.h"
#include "talos/handshake_report.h"

namespace ichor {

using SslContext = std::unique_ptr<SSL_CTX, pki::Releaser<SSL_CTX_free>>;

/// Opens connections to nodes. Who answers is judged within the handshake of the very connection
/// that carries the calls later, before any byte above TLS leaves: TLS 1.3 with ALPN h2 is
/// demanded; a node that asks for a client certificate is configured and must be proved by the
/// cluster's CA before it is shown ours; one that does not is in maintenance mode and must show a
/// key that the demand allows. In TLS 1.3 a client learns only by the server's next words whether
/// its certificate was taken, so a connection counts as open when the server has greeted.
class Dialer {
 public:
  /// Without usable credentials only maintenance mode can be reached.
  Dialer(boost::asio::io_context& io, const TalosCredentials* credentials);
  ~Dialer();
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;

  struct Target {
    Endpoint endpoint;
    IpAddress address;  // that the certificate of a configured node must name
    PeerDemand demand;
    bool only_configured{false};  // maintenance mode is of no use
    Duration limit{};             // in real time
    Duration connect{};           // of it for the connection; zero: all of it
    /// Nothing is sent above TLS to whoever does not show a certificate as Talos makes them.
    bool only_talos{false};
    /// Filled in with what the handshake showed, also where there is no connection in the end.
    HandshakeReport* report{nullptr};
  };
  struct Dialed {
    Peer peer;
    std::unique_ptr<grpc::Channel> channel;
  };

  Task<CallResult<Dialed>> dial(Context context, Target target);

  struct Handshake;  // of one connection, for OpenSSL's callbacks

 private:
  struct Keys;
  boost::asio::io_context& io_;
  std::unique_ptr<Keys> keys_;
  SslContext tls_;
};

}  // namespace ichor
