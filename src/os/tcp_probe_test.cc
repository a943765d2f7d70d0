#include "os/tcp_probe.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ichor {
namespace {

/// A port of the loopback with a listener.
class Listening {
 public:
  Listening() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(fd_, generic, size), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
    EXPECT_EQ(::getsockname(fd_, generic, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Listening() { stop(); }
  int port() const { return port_; }
  void stop() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
  int port_{0};
};

constexpr Duration kLimit = std::chrono::seconds(2);

TEST(TcpProbe, TellsWhoListensFromWhoDoesNot) {
  Listening listening;
  EXPECT_EQ(probe_tcp(IpAddress("127.0.0.1"), listening.port(), kLimit), PortAnswer::accepted);
  listening.stop();
  EXPECT_EQ(probe_tcp(IpAddress("127.0.0.1"), listening.port(), kLimit), PortAnswer::refused);
}

TEST(TcpProbe, WhatIsNotAnAddressCannotBeReached) {
  EXPECT_EQ(probe_tcp(IpAddress("cp1.example"), 6443, kLimit), PortAnswer::unreachable);
}

}  // namespace
}  // namespace ichor
