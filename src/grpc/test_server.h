#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "grpc/http2_server.h"
#include "grpc/pump.h"
#include "grpc/tls_stream.h"

namespace ichor::grpc {

/// A gRPC server with TLS on a loopback port, for tests. It lives on the loop of its client, so a
/// test has one thread and nothing happens while the test itself runs.
class TestServer {
 public:
  struct ContextDelete {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  using TlsContext = std::unique_ptr<SSL_CTX, ContextDelete>;

  TestServer(boost::asio::io_context& io, TlsContext tls, Http2Server::Events events, int port = 0)
      : tls_(std::move(tls)), events_(std::move(events)), acceptor_(io) {
    using boost::asio::ip::tcp;
    SSL_CTX_set_alpn_select_cb(
        tls_.get(),
        [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char* in,
           unsigned int in_size, void*) {
          static constexpr unsigned char kH2[] = {2, 'h', '2'};
          auto* chosen = const_cast<unsigned char**>(out);
          const int found = SSL_select_next_proto(chosen, size, kH2, sizeof kH2, in, in_size);
          return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
        },
        nullptr);
    const tcp::endpoint endpoint(boost::asio::ip::address_v4::loopback(),
                                 static_cast<std::uint16_t>(port));
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(boost::asio::socket_base::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
    accept();
  }
  ~TestServer() { stop(); }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  int port() const { return acceptor_.is_open() ? acceptor_.local_endpoint().port() : 0; }

  /// As a power cut: no new connections, and those that are there are reset.
  void stop() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    cut();
  }
  /// Resets the connections that are there.
  void cut() {
    for (const auto& peer : std::exchange(peers_, {})) {
      if (peer->pump) {
        peer->pump->cut();
      } else {
        peer->stream.cut();
      }
      peer->http2->hang_up("the server went away");
    }
  }

 private:
  struct Peer {
    explicit Peer(TlsStream accepted) : stream(std::move(accepted)) {}
    TlsStream stream;  // until the handshake is over
    std::shared_ptr<Http2Server> http2;
    std::shared_ptr<Pump> pump;
  };
  using PeerPtr = std::shared_ptr<Peer>;

  void accept() {
    acceptor_.async_accept(
        [this](const boost::system::error_code& error, boost::asio::ip::tcp::socket socket) {
          if (error) return;
          SslPtr tls(SSL_new(tls_.get()));
          SSL_set_accept_state(tls.get());
          auto peer = std::make_shared<Peer>(TlsStream(std::move(socket), std::move(tls)));
          peer->http2 = Http2Server::make(events_);
          peers_.push_back(peer);
          shake_hands(peer);
          accept();
        });
  }

  void shake_hands(const PeerPtr& peer) {
    const TlsStream::Step step = peer->stream.handshake();
    switch (step.kind) {
      case TlsStream::Step::Kind::moved: serve(peer); break;
      case TlsStream::Step::Kind::closed: forget(*peer); break;
      default:
        peer->stream.await(step.kind, [this, weak = std::weak_ptr(peer)](bool open) {
          const auto waiting = weak.lock();
          if (open && waiting) shake_hands(waiting);
        });
    }
  }

  void serve(const PeerPtr& peer) {
    Pump::Hooks hooks;
    hooks.received = [http2 = peer->http2](std::string_view bytes) { http2->serve(bytes); };
    hooks.sent = [http2 = peer->http2] { http2->tell_events(); };
    hooks.ended = [this, weak = std::weak_ptr(peer)](const std::string& why) {
      const auto over = weak.lock();
      if (!over) return;
      over->http2->hang_up(why);
      forget(*over);
    };
    peer->pump = std::make_shared<Pump>(std::move(peer->stream), peer->http2, std::move(hooks));
    peer->pump->start();
  }

  void forget(const Peer& gone) {
    std::erase_if(peers_, [&](const PeerPtr& peer) { return peer.get() == &gone; });
  }

  TlsContext tls_;
  Http2Server::Events events_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::vector<PeerPtr> peers_;
};

}  // namespace ichor::grpc
