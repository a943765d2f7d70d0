#include "os/tcp_probe.h"

#include <cerrno>
#include <netdb.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace ichor {

namespace {

struct Socket {
  explicit Socket(int fd) : fd(fd) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
};

PortAnswer answer_of(int error) {
  switch (error) {
    case 0: return PortAnswer::accepted;
    case ECONNREFUSED: return PortAnswer::refused;
    // No machine on the link answered for the address.
    case EHOSTUNREACH:
    case ETIMEDOUT: return PortAnswer::silent;
    default: return PortAnswer::unreachable;
  }
}

}  // namespace

PortAnswer probe_tcp(const IpAddress& address, int port, Duration limit) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.value().c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    return PortAnswer::unreachable;
  }
  const Socket socket(::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int begun = socket.fd < 0 ? -1 : ::connect(socket.fd, found->ai_addr, found->ai_addrlen);
  const int error = begun == 0 ? 0 : errno;
  ::freeaddrinfo(found);
  if (socket.fd < 0) return PortAnswer::unreachable;
  if (error != EINPROGRESS) return answer_of(error);
  pollfd waiting{socket.fd, POLLOUT, 0};
  const auto limit_ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  const int ready = ::poll(&waiting, 1, static_cast<int>(limit_ms));
  if (ready <= 0) return PortAnswer::silent;
  int result = 0;
  socklen_t size = sizeof result;
  if (::getsockopt(socket.fd, SOL_SOCKET, SO_ERROR, &result, &size) != 0) {
    return PortAnswer::unreachable;
  }
  return answer_of(result);
}

}  // namespace ichor
