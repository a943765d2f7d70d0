#include "kube/pod_forward.h"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>
#include <openssl/rand.h>
#include <utility>

#include "async/slot.h"
#include "base/check.h"
#include "kube/kube_status.h"
#include "secrets/base64.h"
#include "web/http_pool.h"
#include "web/tls_peer.h"
#include "web/websocket.h"

namespace ichor {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t kAnswerMax = 64u << 10;
constexpr const char* kProtocol = "v4.channel.k8s.io";
constexpr std::size_t kPortBytes = 2;  // each channel begins with the port's number

enum Channel : std::size_t { data = 0, failure = 1 };

using Whole = std::function<bool(std::string_view)>;
using Done = std::function<void(CallResult<std::string>)>;

std::string random_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  const int made =
      RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  check(made == 1, "OpenSSL has random bytes");
  return bytes;
}

std::array<unsigned char, 4> random_mask() {
  std::array<unsigned char, 4> mask{};
  const std::string bytes = random_bytes(mask.size());
  std::copy(bytes.begin(), bytes.end(), mask.begin());
  return mask;
}

/// One exchange, from the connection to its end. Lives as long as something is under way.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(asio::io_context& io, const HttpPeer& peer, Whole whole, Done done)
      : peer_(peer),
        whole_(std::move(whole)),
        done_(std::move(done)),
        limit_(io),
        stream_(ByteStream::make(io, peer)) {
    parser_.body_limit(kAnswerMax);
  }

  void begin(const PodPort& where, const std::string& message, Duration limit) {
    target_ = fmt::format("/api/v1/namespaces/{}/pods/{}/portforward?ports={}", where.name_space,
                          where.pod, where.port);
    message_ = std::string(1, '\0') + message;
    limit_.expires_after(limit);
    limit_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->fail(Code::deadline_exceeded, "no answer in time");
    });
    stream_->open([self = shared_from_this()](const StreamTrouble& trouble) {
      if (!trouble.text.empty()) return self->fail(trouble);
      self->upgrade();
    });
  }

  /// The caller has stopped listening.
  void close() {
    done_ = nullptr;
    shut();
  }

 private:
  void upgrade() {
    key_ = pki::base64(random_bytes(16));
    std::string head = fmt::format(
        "GET {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: ichor\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\n"
        "Sec-WebSocket-Protocol: {}\r\n",
        target_, host_header(peer_), key_, kProtocol);
    if (!peer_.token.empty()) {
      head += fmt::format("Authorization: {}{}\r\n", peer_.scheme, peer_.token.reveal());
    }
    write(head + "\r\n", [](Exchange& self) { self.receive_head(); });
  }

  void write(std::string bytes, void (*then)(Exchange&)) {
    stream_->write(std::move(bytes),
                   [self = shared_from_this(), then](const StreamTrouble& trouble) {
                     if (!trouble.text.empty()) return self->fail(trouble);
                     then(*self);
                   });
  }

  void receive_head() {
    stream_->read(
        [self = shared_from_this()](std::string_view piece, const StreamTrouble& trouble) {
          if (!trouble.text.empty()) return self->fail(trouble);
          self->received_ += piece.size();
          if (self->received_ > kAnswerMax) {
            return self->fail(Code::resource_exhausted, "the head of the answer is too long");
          }
          self->unread_ += piece;
          self->take_head();
        });
  }

  void take_head() {
    error_code error;
    while (!unread_.empty() && !parser_.is_done() && !error) {
      unread_.erase(0, parser_.put(asio::buffer(std::as_const(unread_)), error));
    }
    if (error == http::error::need_more || (!error && !parser_.is_done())) return receive_head();
    if (error) return fail({"upgrade: " + error.message()});
    const auto& answer = parser_.get();
    if (answer.result() != http::status::switching_protocols) return refused();
    if (answer[http::field::sec_websocket_accept] != websocket_accept(key_)) {
      return fail({"upgrade: the server answers another key"});
    }
    reader_.receive(std::exchange(unread_, {}));
    write(websocket_message(message_, random_mask()), [](Exchange& self) { self.take_messages(); });
  }

  /// An API server says with a status why it does not forward.
  void refused() {
    HttpAnswer answer;
    answer.status = static_cast<int>(parser_.get().result_int());
    answer.body = SecretString(parser_.get().body());
    finish(tl::unexpected(error_of(Call::kube_read, answer)));
  }

  void take_messages() {
    while (done_) {
      const auto read = reader_.next();
      if (!read) return receive();
      switch (read->kind) {
        case WebSocketReader::Kind::message: take(read->text); break;
        case WebSocketReader::Kind::ping:
          return write(websocket_pong(read->text, random_mask()),
                       [](Exchange& self) { self.take_messages(); });
        case WebSocketReader::Kind::closed:
          return fail(Code::unavailable, "the pod's port closed without an answer");
        case WebSocketReader::Kind::broken: return fail({"receive: " + read->text});
      }
    }
  }

  void receive() {
    stream_->read(
        [self = shared_from_this()](std::string_view piece, const StreamTrouble& trouble) {
          if (!trouble.text.empty()) return self->fail(trouble);
          self->reader_.receive(piece);
          self->take_messages();
        });
  }

  void take(std::string_view piece) {
    const std::size_t channel = piece.empty() ? channels_.size() : std::size_t(piece.front());
    if (channel >= channels_.size()) return;
    std::string& all = channels_[channel];
    all.append(piece.substr(1));
    if (all.size() > kAnswerMax) return fail(Code::resource_exhausted, "the answer is too long");
    if (all.size() <= kPortBytes) return;
    const std::string_view content = std::string_view(all).substr(kPortBytes);
    if (channel == failure) return fail(Code::unavailable, std::string(content));
    if (whole_(content)) finish(std::string(content));
  }

  void fail(const StreamTrouble& trouble) {
    CallError failed = call_error(
        Code::unavailable, fmt::format("{}:{}: {}", peer_.dial_host, peer_.port, trouble.text));
    failed.tls = trouble.tls;
    finish(tl::unexpected(std::move(failed)));
  }

  void fail(Code code, std::string text) {
    finish(tl::unexpected(call_error(code, std::move(text))));
  }

  static CallError call_error(Code code, std::string text) {
    return {Call::kube_read, Progress::answered, TlsVerdict::fine, code, std::move(text)};
  }

  void finish(CallResult<std::string> result) {
    const auto self = shared_from_this();
    const Done done = std::exchange(done_, nullptr);
    shut();
    if (done) done(std::move(result));
  }

  void shut() {
    limit_.cancel();
    stream_->close();
  }

  HttpPeer peer_;
  Whole whole_;
  Done done_;
  asio::steady_timer limit_;
  std::shared_ptr<ByteStream> stream_;
  http::response_parser<http::string_body> parser_;
  WebSocketReader reader_{kAnswerMax};
  std::string target_, message_, key_, unread_;
  std::size_t received_{0};  // before the first frame
  std::array<std::string, 2> channels_;
};

/// Ends an exchange whose caller goes away.
class Guard {
 public:
  explicit Guard(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() { exchange_->close(); }

 private:
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace

Task<CallResult<std::string>> exchange_with_pod(Context context, asio::io_context& io,
                                                HttpPeer peer, PodPort where, std::string message,
                                                Whole whole) {
  using Reply = Slot<CallResult<std::string>>;
  const auto slot = std::make_shared<Reply>();
  const auto exchange = std::make_shared<Exchange>(
      io, peer, std::move(whole),
      [slot](CallResult<std::string> answer) { slot->set(std::move(answer)); });
  const Guard guard(exchange);
  exchange->begin(where, message, http_limit(context));
  // The exchange keeps the limit itself, in real time; only a cancellation ends the wait.
  const Context patient{context.clock, context.scope, kNever};
  if (co_await Reply::ready(slot, patient) == Wake::cancelled) {
    co_return tl::unexpected(CallError{Call::kube_read, Progress::sent, TlsVerdict::fine,
                                       Code::cancelled, "called off"});
  }
  co_return slot->take();
}

}  // namespace ichor
