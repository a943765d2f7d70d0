#include "kube/pod_forward.h"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <fmt/format.h>

#include "async/slot.h"
#include "kube/http_pool.h"
#include "kube/kube_status.h"
#include "kube/tls_peer.h"

namespace ichor {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;

namespace {

constexpr std::size_t kAnswerMax = 64u << 10;
constexpr const char* kProtocol = "v4.channel.k8s.io";
constexpr std::size_t kPortBytes = 2;  // each channel begins with the port's number

enum Channel : std::size_t { data = 0, failure = 1 };

using Whole = std::function<bool(std::string_view)>;
using Done = std::function<void(CallResult<std::string>)>;

/// One exchange, from the connection to its end. Lives as long as something is under way.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(asio::io_context& io, const HttpPeer& peer, Whole whole, Done done)
      : peer_(peer),
        whole_(std::move(whole)),
        done_(std::move(done)),
        resolver_(io),
        limit_(io),
        stream_(io, *peer.tls) {}

  void begin(const PodPort& where, const std::string& message, Duration limit) {
    target_ = fmt::format("/api/v1/namespaces/{}/pods/{}/portforward?ports={}", where.name_space,
                          where.pod, where.port);
    message_ = std::string(1, '\0') + message;
    limit_.expires_after(limit);
    limit_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->fail(Code::deadline_exceeded, "no answer in time");
    });
    resolver_.async_resolve(peer_.dial_host, std::to_string(peer_.port),
                            [self = shared_from_this()](error_code error, auto endpoints) {
                              if (error) return self->fail(error, "resolve");
                              self->connect(endpoints);
                            });
  }

  /// Nobody listens any more.
  void close() {
    done_ = nullptr;
    shut();
  }

 private:
  void connect(const asio::ip::tcp::resolver::results_type& endpoints) {
    beast::get_lowest_layer(stream_).async_connect(
        endpoints, [self = shared_from_this()](error_code error, auto) {
          if (error) return self->fail(error, "connect");
          self->shake_hands();
        });
  }

  void shake_hands() {
    expect_peer(stream_.next_layer(), peer_);
    stream_.next_layer().async_handshake(asio::ssl::stream_base::client,
                                         [self = shared_from_this()](error_code error) {
                                           if (error) return self->fail(error, "handshake");
                                           self->upgrade();
                                         });
  }

  void upgrade() {
    stream_.set_option(
        websocket::stream_base::decorator([token = peer_.token](websocket::request_type& request) {
          request.set(http::field::sec_websocket_protocol, kProtocol);
          request.set(http::field::user_agent, "ichor");
          if (token.empty()) return;
          request.set(http::field::authorization, fmt::format("Bearer {}", token.reveal()));
        }));
    stream_.read_message_max(kAnswerMax);
    stream_.async_handshake(answer_, host_header(peer_), target_,
                            [self = shared_from_this()](error_code error) {
                              if (error) return self->refused(error);
                              self->send();
                            });
  }

  /// An API server says with a status why it does not forward.
  void refused(const error_code& error) {
    if (error != websocket::error::upgrade_declined) return fail(error, "upgrade");
    HttpAnswer answer;
    answer.status = static_cast<int>(answer_.result_int());
    answer.body = SecretString(answer_.body());
    finish(tl::unexpected(error_of(Call::kube_read, answer)));
  }

  void send() {
    stream_.binary(true);
    stream_.async_write(asio::buffer(message_),
                        [self = shared_from_this()](error_code error, std::size_t) {
                          if (error) return self->fail(error, "send");
                          self->receive();
                        });
  }

  void receive() {
    buffer_.clear();
    stream_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error == websocket::error::closed) {
        return self->fail(Code::unavailable, "the pod's port closed without an answer");
      }
      if (error) return self->fail(error, "receive");
      self->take(beast::buffers_to_string(self->buffer_.data()));
    });
  }

  void take(std::string_view piece) {
    const std::size_t channel = piece.empty() ? channels_.size() : std::size_t(piece.front());
    if (channel >= channels_.size()) return receive();
    std::string& all = channels_[channel];
    all.append(piece.substr(1));
    if (all.size() > kAnswerMax) return fail(Code::resource_exhausted, "the answer is too long");
    if (all.size() <= kPortBytes) return receive();
    const std::string_view content = std::string_view(all).substr(kPortBytes);
    if (channel == failure) return fail(Code::unavailable, std::string(content));
    if (!whole_(content)) return receive();
    finish(std::string(content));
  }

  void fail(const error_code& error, std::string_view doing) {
    CallError failed = call_error(
        Code::unavailable,
        fmt::format("{}:{}: {}: {}", peer_.dial_host, peer_.port, doing, error.message()));
    if (doing == "handshake") judge_handshake(stream_.next_layer(), failed);
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
    resolver_.cancel();
    // What is still under way ends with an error that nobody hears any more.
    beast::get_lowest_layer(stream_).close();
  }

  HttpPeer peer_;
  Whole whole_;
  Done done_;
  asio::ip::tcp::resolver resolver_;
  asio::steady_timer limit_;
  websocket::stream<TlsStream> stream_;
  websocket::response_type answer_;
  std::string target_, message_;
  beast::flat_buffer buffer_;
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
