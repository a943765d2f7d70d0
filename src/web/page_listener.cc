#include "web/page_listener.h"

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <fmt/format.h>
#include <list>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "web/page_connection.h"

namespace ichor {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

using Stream = asio::generic::stream_protocol;
using Local = asio::local::stream_protocol;

constexpr int kBacklog = 64;
constexpr std::size_t kConnectionsMax = 64;
/// When no descriptor is left, the next one is asked for so much later.
constexpr auto kAcceptPause = std::chrono::milliseconds(200);

tl::unexpected<Error> cannot_listen(const std::string& where, const error_code& error) {
  return fail(Errc::io, fmt::format("cannot listen on {}: {}", where, error.message()));
}

/// Removes a socket on which no process listens any more; all else that stands there stays.
Result<void> make_room(const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return {};
  if (!S_ISSOCK(there.st_mode)) {
    return fail(Errc::invalid, path + " exists and is not a socket; name another path");
  }
  const Local::endpoint endpoint(path);
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool refused =
      probe >= 0 &&
      ::connect(probe, endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0 &&
      errno == ECONNREFUSED;
  if (probe >= 0) ::close(probe);
  // Whatever else the answer is, a process may be listening.
  if (!refused) return fail(Errc::invalid, path + " is in use by another process");
  ::unlink(path.c_str());
  return {};
}

}  // namespace

struct PageListener::Impl : std::enable_shared_from_this<PageListener::Impl> {
  Impl(asio::io_context& io, PageHandler handler)
      : handler(std::move(handler)), acceptor(io), pause(io) {}

  void accept() {
    acceptor.async_accept(
        [self = shared_from_this()](const error_code& error, Stream::socket socket) {
          if (self->closed) return;
          if (!error) {
            self->take(std::move(socket));
            return self->accept();
          }
          self->pause.expires_after(kAcceptPause);
          self->pause.async_wait([self](const error_code&) {
            if (!self->closed) self->accept();
          });
        });
  }

  void take(Stream::socket socket) {
    connections.remove_if([](const auto& one) { return one.expired(); });
    if (connections.size() >= kConnectionsMax && !make_room_for_one()) return;
    const auto connection =
        std::make_shared<PageConnection>(std::move(socket), !path.empty(), handler);
    connections.push_back(connection);
    connection->start();
  }

  /// The list is in the order of arrival.
  bool make_room_for_one() {
    for (auto one = connections.begin(); one != connections.end(); ++one) {
      const auto connection = one->lock();
      if (connection && !connection->makes_room()) continue;
      if (connection) connection->cut();
      connections.erase(one);
      return true;
    }
    return false;
  }

  void close() {
    closed = true;
    error_code ignored;
    acceptor.close(ignored);
    pause.cancel();
    for (const auto& one : std::exchange(connections, {})) {
      if (const auto connection = one.lock()) connection->cut();
    }
    handler = nullptr;
    struct stat there {};
    const bool is_ours = !path.empty() && ::lstat(path.c_str(), &there) == 0 &&
                         there.st_dev == made.st_dev && there.st_ino == made.st_ino;
    if (is_ours) ::unlink(path.c_str());
  }

  PageHandler handler;
  asio::basic_socket_acceptor<Stream> acceptor;
  asio::steady_timer pause;
  std::list<std::weak_ptr<PageConnection>> connections;
  std::string path;  // of the socket; empty: a port
  struct stat made {};
  std::uint16_t port{0};
  bool closed{false};
};

PageListener::PageListener(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
PageListener::~PageListener() { impl_->close(); }
std::uint16_t PageListener::port() const { return impl_->port; }

Result<std::unique_ptr<PageServer>> PageListener::open(asio::io_context& io, const PagePlace& place,
                                                       PageHandler handler) {
  auto impl = std::make_shared<Impl>(io, std::move(handler));
  const bool is_socket = !place.socket.empty();
  error_code error;
  Stream::endpoint endpoint;
  std::string where = place.socket;
  if (is_socket) {
    if (place.socket.size() >= sizeof(sockaddr_un::sun_path)) {
      return fail(Errc::invalid, place.socket + " is too long for a socket: at most 107 bytes");
    }
    if (auto room = make_room(place.socket); !room) return forward_error(room);
    endpoint = Local::endpoint(place.socket);
  } else {
    const auto address = asio::ip::make_address(place.address, error);
    if (error || !address.is_loopback()) {
      return fail(Errc::invalid, place.address + " is not a loopback address: use 127.0.0.1");
    }
    endpoint = asio::ip::tcp::endpoint(address, place.port);
    where = fmt::format("{}:{}", place.address, place.port);
  }
  impl->acceptor.open(Stream(endpoint.protocol().family(), 0), error);
  if (!error && !is_socket)
    impl->acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) impl->acceptor.bind(endpoint, error);
  if (error) return cannot_listen(where, error);
  // From here on the listener removes the socket; no client can connect before it listens.
  impl->path = place.socket;
  if (is_socket) ::lstat(place.socket.c_str(), &impl->made);
  std::unique_ptr<PageServer> listener(new PageListener(impl));
  if (is_socket && ::chmod(place.socket.c_str(), 0600) != 0) {
    return cannot_listen(where, error_code(errno, boost::system::system_category()));
  }
  impl->acceptor.listen(kBacklog, error);
  const Stream::endpoint bound = impl->acceptor.local_endpoint(error);
  if (error) return cannot_listen(where, error);
  if (!is_socket) {
    asio::ip::tcp::endpoint tcp;
    tcp.resize(bound.size());
    std::memcpy(tcp.data(), bound.data(), bound.size());
    impl->port = tcp.port();
  }
  impl->accept();
  return listener;
}

}  // namespace ichor
