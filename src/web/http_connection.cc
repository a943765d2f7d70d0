#include "web/http_connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "web/tls_peer.h"

namespace ichor {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

/// Of an answer that is not a stream. Lists come in pages, see src/kube/https_kube_client.cc.
constexpr std::size_t kBodyMax = 8u << 20;
/// Of all that is not body: a head, chunk sizes, trailers.
constexpr std::size_t kFrameMax = 64u << 10;
constexpr std::size_t kPieceMax = 64u << 10;
constexpr Duration kRetryAfterMax = std::chrono::seconds(60);

std::optional<Duration> retry_after(beast::string_view value) {
  int seconds = 0;
  const char* end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, seconds);
  if (error != std::errc() || at != end || seconds < 0) return std::nullopt;
  return std::min<Duration>(std::chrono::seconds(seconds), kRetryAfterMax);
}

/// Whether a text may stand in the head of a request: a line break in it would be another field.
bool fits_in_head(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20; });
}

class Connection final : public HttpConnection, public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::io_context& io, HttpPeer peer)
      : peer_(std::move(peer)), limit_(io), stream_(ByteStream::make(io, peer_)) {}
  ~Connection() override { stream_->close(); }

  void ask(Call call, HttpRequest request, Duration limit, Done done) override {
    bytes_ = nullptr;
    begin(call, request, limit, std::move(done));
  }

  void follow(Call call, HttpRequest request, Duration limit, Duration quiet, Done done,
              Bytes bytes) override {
    bytes_ = std::move(bytes);
    quiet_ = quiet;
    begin(call, request, limit, std::move(done));
  }

  bool reusable() const override { return connected_ && !done_ && !bytes_; }

  void close() override {
    done_ = nullptr;
    bytes_ = nullptr;
    shut();
  }

 private:
  void begin(Call call, const HttpRequest& request, Duration limit, Done done) {
    check(!done_, "one request at a time");
    call_ = call;
    done_ = std::move(done);
    progress_ = Progress::not_sent;
    arm(limit);
    if (!prepare(request)) return;
    if (connected_) return send();
    stream_->open([self = shared_from_this()](const StreamTrouble& trouble) {
      if (!trouble.text.empty()) return self->fail(trouble);
      self->connected_ = true;
      self->send();
    });
  }

  /// False: it cannot be asked so.
  bool prepare(const HttpRequest& request) {
    std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: ichor\r\n",
                                   request.method, request.target, host_header(peer_));
    const std::string token =
        peer_.token.empty() ? std::string() : peer_.scheme + std::string(peer_.token.reveal());
    const bool fits = fits_in_head(request.method) && fits_in_head(request.target) &&
                      fits_in_head(token) && fits_in_head(request.content_type) &&
                      request.target.find(' ') == std::string::npos;
    if (!fits) {
      asio::post(limit_.get_executor(), [self = shared_from_this()] {
        self->fail(Code::invalid_argument,
                   "the request has a space or a line break where HTTP allows none");
      });
      return false;
    }
    head += "Accept: application/json\r\n";
    if (!token.empty()) head += fmt::format("Authorization: {}\r\n", token);
    const std::string_view body = request.body.reveal();
    if (!request.content_type.empty()) {
      head += fmt::format("Content-Type: {}\r\n", request.content_type);
    }
    const bool has_body = !request.content_type.empty() || request.method == "POST" ||
                          request.method == "PUT" || request.method == "PATCH";
    if (has_body) head += fmt::format("Content-Length: {}\r\n", body.size());
    message_ = head + "\r\n";
    if (has_body) message_ += body;
    return true;
  }

  void arm(Duration limit) {
    limit_.expires_after(limit);
    limit_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->fail(Code::deadline_exceeded, "no answer in time");
    });
  }

  void send() {
    progress_ = Progress::sent;
    start_parser();
    frame_ = 0;
    headed_ = following_ = false;
    answer_ = {};
    body_.clear();
    stream_->write(std::exchange(message_, {}),
                   [self = shared_from_this()](const StreamTrouble& trouble) {
                     if (!trouble.text.empty()) return self->fail(trouble);
                     self->receive();
                   });
  }

  void start_parser() {
    parser_.emplace();
    parser_->body_limit(bytes_ ? boost::optional<std::uint64_t>() : kBodyMax);
  }

  void receive() {
    stream_->read(
        [self = shared_from_this()](std::string_view piece, const StreamTrouble& trouble) {
          if (trouble.text.empty()) {
            self->unread_ += piece;
            return self->take();
          }
          if (!trouble.ended) return self->fail(trouble);
          // Whoever ends a connection before the first byte has not answered.
          if (!self->parser_->got_some()) return self->fail(trouble);
          // Where no length was given, the end of the connection is the end of the body.
          error_code error;
          self->parser_->put_eof(error);
          if (error) return self->fail(error);
          self->connected_ = false;
          self->end_of_body();
        });
  }

  /// Takes all that the parser can make of what came; the rest waits for more.
  void take() {
    const auto self = shared_from_this();
    while (!unread_.empty()) {
      parser_->get().body().data = piece_.data();
      parser_->get().body().size = piece_.size();
      error_code error;
      const std::size_t used = parser_->put(asio::buffer(std::as_const(unread_)), error);
      unread_.erase(0, used);
      const bool wants_more = error == http::error::need_more;
      if (error && !wants_more && error != http::error::need_buffer) return fail(error);
      const std::size_t body = piece_.size() - parser_->get().body().size;
      frame_ = body > 0 ? 0 : frame_ + used;
      if (frame_ + (wants_more ? unread_.size() : 0) > kFrameMax) return fail_for_size();
      if (!headed_ && parser_->is_header_done()) {
        if (parser_->get().result_int() < 200) {
          // 100 Continue and 103 Early Hints: the answer is still to come.
          start_parser();
          continue;
        }
        take_head();
      }
      if (!take_piece(body)) return;
      if (parser_->is_done()) return end_of_body();
      if (wants_more) break;
    }
    receive();
  }

  void take_head() {
    headed_ = true;
    answer_.status = static_cast<int>(parser_->get().result_int());
    answer_.reason = std::string(parser_->get().reason());
    answer_.retry_after = retry_after(parser_->get()[http::field::retry_after]);
    if (!bytes_ || answer_.status != 200) return;
    following_ = true;
    arm(quiet_);
    const Done done = std::exchange(done_, nullptr);
    if (done) done(std::move(answer_));
  }

  /// False: the caller does not want the rest.
  bool take_piece(std::size_t size) {
    const std::string_view piece(piece_.data(), size);
    if (!following_) {
      body_.append(piece);
      if (body_.size() <= kBodyMax) return true;
      fail_for_size();
      return false;
    }
    if (!bytes_) return false;
    if (piece.empty()) return true;
    arm(quiet_);
    const Bytes bytes = bytes_;
    if (bytes(piece)) return connected_;
    close();
    return false;
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
    // What comes after the answer was not asked for.
    if (!parser_->get().keep_alive() || !unread_.empty()) shut();
    const Done done = std::exchange(done_, nullptr);
    if (done) done(std::move(answer_));
  }

  void fail(const error_code& error) {
    if (error == http::error::body_limit || error == http::error::header_limit) {
      return fail_for_size();
    }
    fail({"receive: " + error.message()});
  }

  void fail_for_size() {
    progress_ = Progress::answered;
    fail(Code::resource_exhausted, fmt::format("{}:{}: the answer has more than {} MiB",
                                               peer_.dial_host, peer_.port, kBodyMax >> 20));
  }

  void fail(const StreamTrouble& trouble) {
    // What OpenSSL says of a certificate stands for itself.
    const bool is_chain = trouble.tls != TlsVerdict::fine && trouble.tls != TlsVerdict::wrong_pin;
    std::string text = is_chain
                           ? trouble.text
                           : fmt::format("{}:{}: {}", peer_.dial_host, peer_.port, trouble.text);
    finish({call_, progress_, trouble.tls, Code::unavailable, std::move(text)});
  }

  void fail(Code code, std::string text) {
    finish({call_, progress_, TlsVerdict::fine, code, std::move(text)});
  }

  void finish(CallError failure) {
    const auto self = shared_from_this();
    const Done done = std::exchange(done_, nullptr);
    const Bytes bytes = std::exchange(bytes_, nullptr);
    shut();
    if (done) return done(tl::unexpected(std::move(failure)));
    if (bytes && following_) bytes({});
  }

  void shut() {
    connected_ = false;
    limit_.cancel();
    stream_->close();
  }

  HttpPeer peer_;
  asio::steady_timer limit_;
  std::shared_ptr<ByteStream> stream_;
  Call call_{Call::kube_read};
  Done done_;
  Bytes bytes_;
  Duration quiet_{};
  bool connected_{false};
  std::size_t frame_{0};   // bytes since the last one of a body
  bool headed_{false};     // the head of the answer was read
  bool following_{false};  // and its body goes to bytes_
  Progress progress_{Progress::not_sent};
  std::string message_;
  std::string unread_;
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
  return std::make_shared<Connection>(io, peer);
}

}  // namespace ichor
