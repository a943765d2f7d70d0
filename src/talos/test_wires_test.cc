#include "talos/test_wires.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "base/check.h"
#include "talos/dial.h"

namespace ichor {

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

/// A listening socket on a free port.
struct Listener {
  int fd{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int port{0};

  Listener() {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    check(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0, "loopback can be bound");
    check(listen(fd, 16) == 0, "loopback can be listened on");
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { close(fd); }
  /// Makes accept() in the server's thread fail.
  void stop() const { shutdown(fd, SHUT_RDWR); }
};

/// Moves bytes from one socket to the other; false when there are no more.
bool relay(int from, int to) {
  std::array<char, 16384> buffer;
  const ssize_t got = recv(from, buffer.data(), buffer.size(), 0);
  return got > 0 && send(to, buffer.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
}

}  // namespace

struct CutWire::Impl {
  explicit Impl(int to_port) : to_port(to_port), acceptor([this] { run(); }) {}

  void run() {
    for (int client = accept(listener.fd, nullptr, nullptr); client >= 0;
         client = accept(listener.fd, nullptr, nullptr)) {
      const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_in address = loopback(to_port);
      const bool reached =
          connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
      const std::lock_guard lock(mutex);
      if (is_cut || !reached) {
        close(client);
        close(server);
        continue;
      }
      sockets.push_back(client);
      sockets.push_back(server);
      pumps.emplace_back([client, server] {
        std::array<pollfd, 2> both{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
        bool flows = true;
        while (flows && poll(both.data(), both.size(), -1) > 0) {
          if (both[0].revents != 0) flows = relay(client, server);
          if (flows && both[1].revents != 0) flows = relay(server, client);
        }
        shutdown(client, SHUT_RDWR);
        shutdown(server, SHUT_RDWR);
      });
    }
  }

  void cut() {
    const std::lock_guard lock(mutex);
    is_cut = true;
    for (const int fd : sockets) shutdown(fd, SHUT_RDWR);
  }

  const int to_port;
  Listener listener;
  std::mutex mutex;
  bool is_cut{false};
  std::vector<int> sockets;
  std::vector<std::thread> pumps;
  std::thread acceptor;
};

CutWire::CutWire(int to_port)
    : impl_(std::make_unique<Impl>(to_port)), port_(impl_->listener.port) {}

CutWire::~CutWire() {
  impl_->listener.stop();
  impl_->acceptor.join();
  impl_->cut();
  for (std::thread& pump : impl_->pumps) pump.join();
  for (const int fd : impl_->sockets) close(fd);
}

void CutWire::cut() { impl_->cut(); }

struct TlsRecorder::Impl {
  Impl(std::vector<const TestCertificate*> given, const TestCertificate* client_ca, Newest newest)
      : certificates(std::move(given)),
        client_ca(client_ca),
        newest(newest),
        acceptor([this] { run(); }) {}

  SslContext context_for(const TestCertificate& certificate) const {
    SslContext context(SSL_CTX_new(TLS_server_method()));
    if (newest == Newest::tls12) SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
    if (client_ca) {
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), client_ca->certificate.get());
      SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    SSL_CTX_use_certificate(context.get(), certificate.certificate.get());
    SSL_CTX_use_PrivateKey(context.get(), certificate.key.get());
    SSL_CTX_set_num_tickets(context.get(), 0);
    SSL_CTX_set_alpn_select_cb(
        context.get(),
        [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered,
           unsigned int offered_size, void*) {
          // Static, because the answer points into it.
          static constexpr unsigned char h2[] = {2, 'h', '2'};
          unsigned char* chosen = nullptr;
          const int found =
              SSL_select_next_proto(&chosen, size, h2, sizeof h2, offered, offered_size);
          *out = chosen;
          return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
        },
        nullptr);
    return context;
  }

  /// Shakes hands, counts what comes in one piece, and hangs up.
  Connection serve(int fd, const TestCertificate& certificate) const {
    const SslContext context = context_for(certificate);
    const grpc::SslPtr ssl(SSL_new(context.get()));
    SSL_set_fd(ssl.get(), fd);
    Connection seen;
    if (SSL_accept(ssl.get()) != 1) return seen;
    seen.tls_version = SSL_get_version(ssl.get());
    const unsigned char* alpn = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl.get(), &alpn, &size);
    seen.alpn.assign(reinterpret_cast<const char*>(alpn), size);
    if (client_ca) SSL_write(ssl.get(), "x", 1);
    std::array<char, 4096> buffer;
    const int got = SSL_read(ssl.get(), buffer.data(), static_cast<int>(buffer.size()));
    seen.application_bytes = static_cast<std::size_t>(std::max(got, 0));
    return seen;
  }

  void run() {
    std::size_t count = 0;
    for (int fd = accept(listener.fd, nullptr, nullptr); fd >= 0;
         fd = accept(listener.fd, nullptr, nullptr)) {
      const std::size_t index = std::min(count++, certificates.size() - 1);
      Connection seen = serve(fd, *certificates[index]);
      {
        const std::lock_guard lock(mutex);
        connections.push_back(std::move(seen));
      }
      close(fd);
    }
  }

  std::vector<const TestCertificate*> certificates;
  const TestCertificate* client_ca;
  Newest newest;
  Listener listener;
  mutable std::mutex mutex;
  std::vector<Connection> connections;
  std::thread acceptor;
};

TlsRecorder::TlsRecorder(std::vector<const TestCertificate*> certificates,
                         const TestCertificate* client_ca, Newest newest)
    : impl_(std::make_unique<Impl>(std::move(certificates), client_ca, newest)),
      port_(impl_->listener.port) {}

TlsRecorder::~TlsRecorder() { stop(); }

void TlsRecorder::stop() {
  if (!impl_->acceptor.joinable()) return;
  impl_->listener.stop();
  impl_->acceptor.join();
}

std::vector<TlsRecorder::Connection> TlsRecorder::connections() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->connections;
}

struct SilentPort::Impl {
  Listener listener;
};

SilentPort::SilentPort() : impl_(std::make_unique<Impl>()), port_(impl_->listener.port) {}
SilentPort::~SilentPort() = default;

}  // namespace ichor
