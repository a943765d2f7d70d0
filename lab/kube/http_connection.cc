#include "lab/kube/http_connection.h"

#include <array>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <deque>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "async/task.h"
#include "lab/kube/api.h"
#include "sim/kube/watch_channel.h"

namespace ichor::lab {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Local = asio::local::stream_protocol;
using nlohmann::json;

constexpr std::size_t kBodyMax = 4u << 20;
constexpr std::size_t kQueueMax = 10'000;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(LoopClock& loop, Local::socket socket, Peer peer, HttpAnswerer answerer)
      : loop_(loop),
        socket_(std::move(socket)),
        peer_(std::move(peer)),
        answerer_(std::move(answerer)),
        limit_(loop.io()) {}

  void read() {
    parser_.emplace();
    parser_->body_limit(kBodyMax);
    parser_->eager(true);
    take();
  }

 private:
  /// Serves a request that is whole, and reads on where it is not. The parser is fed by hand,
  /// because Beast's own read is ten times the code of this for each kind of socket.
  void take() {
    boost::system::error_code error;
    while (!unread_.empty() && !parser_->is_done() && !error) {
      unread_.erase(0, parser_->put(asio::buffer(std::as_const(unread_)), error));
    }
    if (error && error != http::error::need_more) return close();
    if (parser_->is_done()) return serve();
    socket_.async_read_some(
        asio::buffer(piece_),
        [self = shared_from_this()](const boost::system::error_code& ended, std::size_t size) {
          if (ended) return;
          self->unread_.append(self->piece_.data(), size);
          self->take();
        });
  }

  void serve() {
    const auto& request = parser_->get();
    KubeRequest asked{std::string(request.method_string()),
                      std::string(request.target()),
                      std::string(request[http::field::accept]),
                      peer_,
                      std::string(request[http::field::content_type]),
                      std::string(request[http::field::user_agent]),
                      request.body(),
                      std::string(request[http::field::authorization])};
    keep_alive_ = request.keep_alive();
    answerer_(asked,
              [self = shared_from_this()](KubeReply reply) { self->respond(std::move(reply)); });
  }

  void respond(KubeReply reply) {
    if (reply.status == 0) return close();
    if (reply.watch) {
      begin_watch(std::move(*reply.watch));
    } else {
      send(reply);
    }
  }

  void send(const KubeReply& reply) {
    const std::string reason = !reply.reason.empty()
                                   ? reply.reason
                                   : std::string(http::obsolete_reason(
                                         http::int_to_status(static_cast<unsigned>(reply.status))));
    enqueue(
        fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nCache-Control: no-cache, private\r\n"
                    "{}Content-Length: {}\r\n\r\n{}",
                    reply.status, reason, reply.type, keep_alive_ ? "" : "Connection: close\r\n",
                    reply.body.size(), reply.body));
  }

  void begin_watch(KubeWatch watch) {
    watch_ = std::move(watch);
    enqueue(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-cache, private\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
    for (const json& object : watch_->initial) event("ADDED", object);
    if (watch_->initial_bookmark) send_bookmark(watch_->version, true);
    if (watch_->limit > Duration{}) {
      limit_.expires_after(watch_->limit);
      limit_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
        if (!error) self->finish_watch();
      });
    }
    pump_ = pump(Context{&loop_, &scope_, kNever});
    pump_.start();
    // The client ends a watch by going away, which a read tells.
    socket_.async_read_some(
        asio::buffer(sink_),
        [self = shared_from_this()](const boost::system::error_code&, std::size_t) {
          self->stop_watching();
          self->close();
        });
  }

  /// Tells what the channel says until it ends. Lives no longer than the connection.
  Task<void> pump(Context context) {
    sim::ChannelStream stream(watch_->channel, context, [this] { return watch_->version_now(); });
    while (true) {
      auto told = co_await stream.next(context);
      if (!told || !*told) break;
      const KubeEvent& one = **told;
      switch (one.kind) {
        case KubeEvent::Kind::added: event("ADDED", *one.object); break;
        case KubeEvent::Kind::modified: event("MODIFIED", *one.object); break;
        case KubeEvent::Kind::deleted: event("DELETED", *one.object); break;
        case KubeEvent::Kind::bookmark:
          send_bookmark((*one.object)["metadata"]["resourceVersion"].get<std::string>(), false);
      }
    }
    if (!context.cancelled()) finish_watch();
  }

  void event(const char* type, const json& object) {
    chunk({{"type", type}, {"object", watch_->form(object)}});
  }

  void send_bookmark(const std::string& version, bool initial_end) {
    json object = watch_->bookmark;
    object["metadata"] = {{"resourceVersion", version}, {"creationTimestamp", nullptr}};
    if (initial_end) {
      object["metadata"]["annotations"] = {{"k8s.io/initial-events-end", "true"}};
    }
    chunk({{"type", "BOOKMARK"}, {"object", std::move(object)}});
  }

  void chunk(const json& value) {
    const std::string text = value.dump() + "\n";
    char size[20];
    std::snprintf(size, sizeof(size), "%zx\r\n", text.size());
    enqueue(size + text + "\r\n");
  }

  void finish_watch() {
    if (closing_) return;
    closing_ = true;
    stop_watching();
    enqueue("0\r\n\r\n");
  }

  void stop_watching() {
    limit_.cancel();
    scope_.cancel();
  }

  void enqueue(std::string text) {
    if (outgoing_.size() > kQueueMax) return close();
    outgoing_.push_back(std::move(text));
    if (outgoing_.size() == 1) flush();
  }

  void flush() {
    asio::async_write(
        socket_, asio::buffer(outgoing_.front()),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
          if (error) return self->close();
          self->outgoing_.pop_front();
          if (!self->outgoing_.empty()) {
            self->flush();
          } else if (self->closing_) {
            self->close();
          } else if (!self->watch_) {
            self->keep_alive_ ? self->read() : self->close();
          }
        });
  }

  void close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

  LoopClock& loop_;
  Local::socket socket_;
  Peer peer_;
  HttpAnswerer answerer_;
  std::string unread_;
  std::array<char, 16u << 10> piece_{};
  std::optional<http::request_parser<http::string_body>> parser_;
  bool keep_alive_{true};
  std::optional<KubeWatch> watch_;
  CancelScope scope_;
  Task<void> pump_;
  std::deque<std::string> outgoing_;
  bool closing_{false};
  asio::steady_timer limit_;
  std::array<char, 256> sink_{};
};

}  // namespace

void serve_http(LoopClock& loop, Local::socket socket, Peer peer, HttpAnswerer answerer) {
  std::make_shared<Connection>(loop, std::move(socket), std::move(peer), std::move(answerer))
      ->read();
}

}  // namespace ichor::lab
