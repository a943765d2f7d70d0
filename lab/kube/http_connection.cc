#include "lab/kube/http_connection.h"

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <optional>

namespace ichor::lab {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Local = asio::local::stream_protocol;
using nlohmann::json;

constexpr std::size_t kBodyMax = 4u << 20;
constexpr std::size_t kQueueMax = 10'000;
constexpr Duration kBookmarkEvery = std::chrono::seconds(60);

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(LoopClock& loop, Local::socket socket, Peer peer, std::weak_ptr<KubeCluster> cluster)
      : loop_(loop),
        socket_(std::move(socket)),
        peer_(std::move(peer)),
        cluster_(std::move(cluster)),
        limit_(loop.io()),
        bookmark_(loop.io()) {}
  ~Connection() { stop_watching(); }

  void read() {
    parser_.emplace();
    parser_->body_limit(kBodyMax);
    http::async_read(
        socket_, buffer_, *parser_,
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
          if (!error) self->serve();
        });
  }

 private:
  void serve() {
    const auto& request = parser_->get();
    const auto cluster = cluster_.lock();
    if (!cluster) return close();
    const std::string target(request.target());
    if (target.starts_with("/api/v1/") || target.starts_with("/apis/apps/v1/")) cluster->refresh();
    KubeRequest asked{std::string(request.method_string()), target,
                      std::string(request[http::field::accept]), peer_};
    KubeReply reply = answer(asked, cluster->store, cluster->kubernetes_version, loop_.wall());
    keep_alive_ = request.keep_alive();
    if (reply.watch) {
      begin_watch(std::move(*reply.watch), *cluster);
    } else {
      send(reply);
    }
  }

  void send(const KubeReply& reply) {
    response_.emplace();
    response_->version(11);
    response_->result(static_cast<unsigned>(reply.status));
    response_->set(http::field::content_type, reply.type);
    response_->set(http::field::cache_control, "no-cache, private");
    response_->keep_alive(keep_alive_);
    response_->body() = reply.body;
    response_->prepare_payload();
    http::async_write(
        socket_, *response_,
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
          if (error || !self->keep_alive_) return self->close();
          self->read();
        });
  }

  void begin_watch(KubeWatch watch, KubeCluster& cluster) {
    watch_ = std::move(watch);
    enqueue(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-cache, private\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
    if (watch_->initial_events) {
      for (const json& object : cluster.store.list(watch_->plural, watch_->space)) {
        if (watch_->takes(object)) event("ADDED", object, version_of(object));
      }
      if (watch_->initial_bookmark) send_bookmark(cluster.store.version(), true);
    } else {
      for (const KubeChange& change : cluster.store.since(watch_->since)) on_change(change);
    }
    watch_id_ = cluster.store.watch([this](const KubeChange& change) { on_change(change); });
    if (watch_->limit > Duration{}) {
      limit_.expires_after(watch_->limit);
      limit_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
        if (!error) self->finish_watch();
      });
    }
    arm_bookmark();
    // The client ends a watch by going away, which a read tells.
    socket_.async_read_some(
        asio::buffer(sink_),
        [self = shared_from_this()](const boost::system::error_code&, std::size_t) {
          self->stop_watching();
          self->close();
        });
  }

  void arm_bookmark() {
    bookmark_.expires_after(kBookmarkEvery);
    bookmark_.async_wait([self = weak_from_this()](const boost::system::error_code& error) {
      const auto connection = self.lock();
      if (error || !connection) return;
      if (const auto cluster = connection->cluster_.lock()) {
        connection->send_bookmark(cluster->store.version(), false);
        connection->arm_bookmark();
      }
    });
  }

  static std::uint64_t version_of(const json& object) {
    return std::stoull(object["metadata"]["resourceVersion"].get<std::string>());
  }

  void on_change(const KubeChange& change) {
    if (change.plural != watch_->plural) return;
    if (!watch_->space.empty() && change.space != watch_->space) return;
    if (watch_->takes(change.object)) event(change.type, change.object, change.version);
  }

  void event(const char* type, const json& object, std::uint64_t version) {
    chunk({{"type", type}, {"object", watch_->form(object, version)}});
  }

  void send_bookmark(std::uint64_t version, bool initial_end) {
    json object = watch_->bookmark;
    object["metadata"] = {{"resourceVersion", std::to_string(version)},
                          {"creationTimestamp", nullptr}};
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
    stop_watching();
    closing_ = true;
    enqueue("0\r\n\r\n");
  }

  void stop_watching() {
    limit_.cancel();
    bookmark_.cancel();
    if (watch_id_ == 0) return;
    if (const auto cluster = cluster_.lock()) cluster->store.unwatch(watch_id_);
    watch_id_ = 0;
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
  std::weak_ptr<KubeCluster> cluster_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  bool keep_alive_{true};
  std::optional<KubeWatch> watch_;
  ObjectStore::WatchId watch_id_{0};
  std::deque<std::string> outgoing_;
  bool closing_{false};
  asio::steady_timer limit_;
  asio::steady_timer bookmark_;
  std::array<char, 256> sink_{};
};

}  // namespace

void serve_http(LoopClock& loop, Local::socket socket, Peer peer,
                std::weak_ptr<KubeCluster> cluster) {
  std::make_shared<Connection>(loop, std::move(socket), std::move(peer), std::move(cluster))
      ->read();
}

}  // namespace ichor::lab
