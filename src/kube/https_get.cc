#include "kube/https_get.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <fmt/format.h>
#include <openssl/x509_vfy.h>

namespace ichor {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t kBodyMax = 1u << 20;

/// What the chain check said, from the library's own verdict and not from a text.
TlsVerdict verdict_of(long verify_result) {
  switch (verify_result) {
    case X509_V_OK: return TlsVerdict::fine;
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID: return TlsVerdict::expired;
    default: return TlsVerdict::foreign_ca;
  }
}

}  // namespace

/// Keeps itself alive through its handlers; HttpsGet only tells it to stop.
class HttpsGet::Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(asio::io_context& io, Request request, Done done)
      : request_(std::move(request)),
        done_(std::move(done)),
        resolver_(io),
        tls_(asio::ssl::context::tls_client),
        limit_(io) {
    parser_.body_limit(kBodyMax);
  }

  void start() {
    limit_.expires_after(request_.limit);
    limit_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->fail(Code::deadline_exceeded, "no answer in time");
    });
    if (const error_code error = prepare()) {
      return fail(Code::invalid_argument, fmt::format("kubeconfig: {}", error.message()));
    }
    resolver_.async_resolve(request_.dial_host, std::to_string(request_.access.port),
                            [self = shared_from_this()](error_code error, auto endpoints) {
                              if (error) return self->fail(error, "resolve");
                              self->connect(endpoints);
                            });
  }

  void cancel() {
    done_ = nullptr;
    shut();
  }

 private:
  /// The identity on both sides, and what is sent.
  error_code prepare() {
    error_code error;
    const KubeAccess& access = request_.access;
    tls_.add_certificate_authority(asio::buffer(access.ca_pem), error);
    if (error) return error;
    if (!access.client_cert_pem.empty()) {
      tls_.use_certificate_chain(asio::buffer(access.client_cert_pem), error);
      if (error) return error;
      const std::string_view key = access.client_key_pem.reveal();
      tls_.use_private_key(asio::buffer(key), asio::ssl::context::pem, error);
      if (error) return error;
    }
    stream_.emplace(resolver_.get_executor(), tls_);
    stream_->set_verify_mode(asio::ssl::verify_peer);
    stream_->set_verify_callback(asio::ssl::host_name_verification(access.host));
    SSL_set_min_proto_version(stream_->native_handle(), TLS1_2_VERSION);
    error_code is_name;
    asio::ip::make_address(access.host, is_name);
    // An address is not sent as a server name: RFC 6066 allows names only.
    if (is_name) SSL_set_tlsext_host_name(stream_->native_handle(), access.host.c_str());

    message_.method(http::verb::get);
    message_.target(request_.path);
    message_.version(11);
    message_.set(http::field::host, access.host);
    message_.set(http::field::user_agent, "ichor");
    message_.set(http::field::connection, "close");
    if (!access.token.empty()) {
      message_.set(http::field::authorization, fmt::format("Bearer {}", access.token.reveal()));
    }
    return {};
  }

  void connect(const asio::ip::tcp::resolver::results_type& endpoints) {
    beast::get_lowest_layer(*stream_).async_connect(
        endpoints, [self = shared_from_this()](error_code error, auto) {
          if (error) return self->fail(error, "connect");
          self->shake_hands();
        });
  }

  void shake_hands() {
    stream_->async_handshake(asio::ssl::stream_base::client,
                             [self = shared_from_this()](error_code error) {
                               if (error) return self->fail(error, "handshake");
                               self->send();
                             });
  }

  void send() {
    progress_ = Progress::sent;
    http::async_write(*stream_, message_,
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (error) return self->fail(error, "send");
                        self->receive();
                      });
  }

  void receive() {
    http::async_read(
        *stream_, buffer_, parser_, [self = shared_from_this()](error_code error, std::size_t) {
          if (error) return self->fail(error, "receive");
          auto& answer = self->parser_.get();
          self->finish(HttpAnswer{static_cast<int>(answer.result_int()), std::move(answer.body())});
        });
  }

  void fail(const error_code& error, std::string_view doing) {
    const long verified =
        stream_ ? SSL_get_verify_result(stream_->native_handle()) : long{X509_V_OK};
    const bool in_handshake = doing == "handshake";
    CallError failure{request_.call, progress_, TlsVerdict::fine, Code::unavailable,
                      fmt::format("{}: {}", doing, error.message())};
    if (in_handshake) failure.tls = verdict_of(verified);
    if (in_handshake && verified != X509_V_OK) {
      failure.text = X509_verify_cert_error_string(verified);
    }
    finish(tl::unexpected(std::move(failure)));
  }

  void fail(Code code, std::string text) {
    finish(tl::unexpected(
        CallError{request_.call, progress_, TlsVerdict::fine, code, std::move(text)}));
  }

  void finish(CallResult<HttpAnswer> result) {
    Done done = std::exchange(done_, nullptr);
    shut();
    if (done) done(std::move(result));
  }

  void shut() {
    limit_.cancel();
    resolver_.cancel();
    // What is still under way ends with an error that nobody hears any more.
    if (stream_) beast::get_lowest_layer(*stream_).close();
  }

  Request request_;
  Done done_;
  asio::ip::tcp::resolver resolver_;
  asio::ssl::context tls_;
  asio::steady_timer limit_;
  std::optional<beast::ssl_stream<beast::tcp_stream>> stream_;
  http::request<http::empty_body> message_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  Progress progress_{Progress::not_sent};
};

HttpsGet::HttpsGet(asio::io_context& io, Request request, Done done)
    : exchange_(std::make_shared<Exchange>(io, std::move(request), std::move(done))) {
  exchange_->start();
}

HttpsGet::~HttpsGet() { exchange_->cancel(); }

}  // namespace ichor
