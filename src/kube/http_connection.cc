#include "kube/http_connection.h"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <fmt/format.h>
#include <type_traits>

#include "base/check.h"
#include "kube/tls_peer.h"

namespace ichor {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

/// Of an answer that is not a stream. Lists come in pages, see src/kube/https_kube_client.cc.
constexpr std::size_t kBodyMax = 8u << 20;
constexpr std::size_t kPieceMax = 64u << 10;
constexpr Duration kRetryAfterMax = std::chrono::seconds(60);

using PlainStream = beast::tcp_stream;

std::optional<Duration> retry_after(beast::string_view value) {
  int seconds = 0;
  const char* end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, seconds);
  if (error != std::errc() || at != end || seconds < 0) return std::nullopt;
  return std::min<Duration>(std::chrono::seconds(seconds), kRetryAfterMax);
}

template <class Stream>
class ConnectionOn final : public HttpConnection,
                           public std::enable_shared_from_this<ConnectionOn<Stream>> {
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

 public:
  ConnectionOn(asio::io_context& io, HttpPeer peer)
      : peer_(std::move(peer)), resolver_(io), limit_(io), stream_(make_stream(io)) {}

  void ask(Call call, HttpRequest request, Duration limit, Done done) override {
    bytes_ = nullptr;
    begin(call, std::move(request), limit, std::move(done));
  }

  void follow(Call call, HttpRequest request, Duration limit, Duration quiet, Done done,
              Bytes bytes) override {
    bytes_ = std::move(bytes);
    quiet_ = quiet;
    begin(call, std::move(request), limit, std::move(done));
  }

  bool reusable() const override { return connected_ && !done_ && !bytes_; }

  void close() override {
    done_ = nullptr;
    bytes_ = nullptr;
    shut();
  }

 private:
  Stream make_stream(asio::io_context& io) {
    if constexpr (kTls) {
      return Stream(io, *peer_.tls);
    } else {
      return Stream(io);
    }
  }

  void begin(Call call, HttpRequest request, Duration limit, Done done) {
    check(!done_, "one request at a time");
    call_ = call;
    done_ = std::move(done);
    progress_ = Progress::not_sent;
    prepare(std::move(request));
    arm(limit);
    if (connected_) return send();
    resolver_.async_resolve(peer_.dial_host, std::to_string(peer_.port),
                            [self = this->shared_from_this()](error_code error, auto endpoints) {
                              if (error) return self->fail(error, "resolve");
                              self->connect(endpoints);
                            });
  }

  void prepare(HttpRequest request) {
    message_ = {};
    message_.method_string(request.method);
    message_.target(request.target);
    message_.version(11);
    message_.set(http::field::host, host_header(peer_));
    message_.set(http::field::user_agent, "ichor");
    message_.set(http::field::accept, "application/json");
    if (!peer_.token.empty()) {
      message_.set(http::field::authorization, peer_.scheme + std::string(peer_.token.reveal()));
    }
    if (!request.content_type.empty()) {
      message_.set(http::field::content_type, request.content_type);
      message_.body() = std::string(request.body.reveal());
    }
    message_.prepare_payload();
  }

  void arm(Duration limit) {
    limit_.expires_after(limit);
    limit_.async_wait([self = this->shared_from_this()](error_code error) {
      if (!error) self->fail(Code::deadline_exceeded, "no answer in time");
    });
  }

  void connect(const asio::ip::tcp::resolver::results_type& endpoints) {
    beast::get_lowest_layer(stream_).async_connect(
        endpoints, [self = this->shared_from_this()](error_code error, auto) {
          if (error) return self->fail(error, "connect");
          error_code ignored;
          beast::get_lowest_layer(self->stream_)
              .socket()
              .set_option(asio::ip::tcp::no_delay(true), ignored);
          self->shake_hands();
        });
  }

  void shake_hands() {
    if constexpr (kTls) {
      expect_peer(stream_, peer_);
      stream_.async_handshake(asio::ssl::stream_base::client,
                              [self = this->shared_from_this()](error_code error) {
                                if (error) return self->fail(error, "handshake");
                                self->meet_peer();
                              });
    } else {
      connected_ = true;
      send();
    }
  }

  /// Nothing is sent to whoever is not the pinned one.
  void meet_peer() {
    if constexpr (kTls) {
      const std::string shown = peer_.pin.empty() ? std::string() : certificate_digest(stream_);
      if (shown != peer_.pin) {
        return finish(
            {call_, Progress::not_sent, TlsVerdict::wrong_pin, Code::unavailable,
             fmt::format("{}:{} shows the certificate {}", peer_.dial_host, peer_.port, shown)});
      }
    }
    connected_ = true;
    send();
  }

  void send() {
    progress_ = Progress::sent;
    http::async_write(stream_, message_,
                      [self = this->shared_from_this()](error_code error, std::size_t) {
                        if (error) return self->fail(error, "send");
                        self->receive_head();
                      });
  }

  void receive_head() {
    parser_.emplace();
    parser_->body_limit(bytes_ ? boost::optional<std::uint64_t>() : kBodyMax);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](error_code error, std::size_t) {
                              if (error) return self->fail(error, "receive");
                              self->take_head();
                            });
  }

  void take_head() {
    answer_ = {};
    answer_.status = static_cast<int>(parser_->get().result_int());
    answer_.reason = std::string(parser_->get().reason());
    answer_.retry_after = retry_after(parser_->get()[http::field::retry_after]);
    body_.clear();
    if (bytes_ && answer_.status == 200) {
      following_ = true;
      arm(quiet_);
      Done done = std::exchange(done_, nullptr);
      const auto self = this->shared_from_this();
      if (done) done(std::move(answer_));
    }
    receive_body();
  }

  void receive_body() {
    if (parser_->is_done()) return end_of_body();
    parser_->get().body().data = piece_.data();
    parser_->get().body().size = piece_.size();
    http::async_read_some(stream_, buffer_, *parser_,
                          [self = this->shared_from_this()](error_code error, std::size_t) {
                            if (error && error != http::error::need_buffer) {
                              return self->fail(error, "receive");
                            }
                            self->take_piece();
                          });
  }

  void take_piece() {
    const std::size_t size = piece_.size() - parser_->get().body().size;
    const std::string_view piece(piece_.data(), size);
    if (following_) {
      if (!bytes_) return;
      if (!piece.empty()) {
        arm(quiet_);
        const auto self = this->shared_from_this();
        const Bytes bytes = bytes_;
        if (!bytes(piece)) return close();
      }
    } else {
      body_.append(piece);
    }
    if (connected_) receive_body();
  }

  void end_of_body() {
    limit_.cancel();
    if (following_) {
      const Bytes bytes = std::exchange(bytes_, nullptr);
      shut();
      if (bytes) bytes({});
      return;
    }
    bytes_ = nullptr;
    answer_.body = SecretString(std::move(body_));
    body_.clear();
    if (!parser_->get().keep_alive()) shut();
    Done done = std::exchange(done_, nullptr);
    if (done) done(std::move(answer_));
  }

  void fail(const error_code& error, std::string_view doing) {
    if (error == http::error::body_limit) {
      progress_ = Progress::answered;
      return fail(Code::resource_exhausted,
                  fmt::format("{}:{}: the answer has more than {} MiB", peer_.dial_host, peer_.port,
                              kBodyMax >> 20));
    }
    CallError failure{
        call_, progress_, TlsVerdict::fine, Code::unavailable,
        fmt::format("{}:{}: {}: {}", peer_.dial_host, peer_.port, doing, error.message())};
    if constexpr (kTls) {
      if (doing == "handshake") judge_handshake(stream_, failure);
    }
    finish(std::move(failure));
  }

  void fail(Code code, std::string text) {
    finish({call_, progress_, TlsVerdict::fine, code, std::move(text)});
  }

  void finish(CallError failure) {
    const auto self = this->shared_from_this();
    Done done = std::exchange(done_, nullptr);
    const Bytes bytes = std::exchange(bytes_, nullptr);
    shut();
    if (done) return done(tl::unexpected(std::move(failure)));
    if (bytes && following_) bytes({});
  }

  void shut() {
    connected_ = false;
    limit_.cancel();
    resolver_.cancel();
    // What is still under way ends with an error that nobody hears any more.
    beast::get_lowest_layer(stream_).close();
  }

  HttpPeer peer_;
  asio::ip::tcp::resolver resolver_;
  asio::steady_timer limit_;
  Stream stream_;
  Call call_{Call::kube_read};
  Done done_;
  Bytes bytes_;
  Duration quiet_{};
  bool connected_{false};
  bool following_{false};
  Progress progress_{Progress::not_sent};
  http::request<http::string_body> message_;
  beast::flat_buffer buffer_;
  std::optional<http::response_parser<http::buffer_body>> parser_;
  std::array<char, kPieceMax> piece_{};
  HttpAnswer answer_;
  std::string body_;
};

}  // namespace

Result<std::shared_ptr<asio::ssl::context>> tls_with(const std::string& ca_pem,
                                                     const std::string& cert_pem,
                                                     const SecretString& key_pem) {
  const auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  const auto refused = [](const char* what, const error_code& error) {
    return fail(Errc::invalid, fmt::format("kubeconfig: {}: {}", what, error.message()));
  };
  error_code error;
  tls->add_certificate_authority(asio::buffer(ca_pem), error);
  if (error) return refused("certificate authority", error);
  if (cert_pem.empty()) return tls;
  tls->use_certificate_chain(asio::buffer(cert_pem), error);
  if (error) return refused("client certificate", error);
  const std::string_view key = key_pem.reveal();
  tls->use_private_key(asio::buffer(key), asio::ssl::context::pem, error);
  if (error) return refused("client key", error);
  return tls;
}

std::shared_ptr<asio::ssl::context> tls_of_machine() {
  const auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  error_code ignored;
  tls->set_default_verify_paths(ignored);
  return tls;
}

std::shared_ptr<HttpConnection> HttpConnection::make(asio::io_context& io, const HttpPeer& peer) {
  if (peer.tls) return std::make_shared<ConnectionOn<TlsStream>>(io, peer);
  return std::make_shared<ConnectionOn<PlainStream>>(io, peer);
}

}  // namespace ichor
