#include "grpc/tls_stream.h"

#include <cerrno>
#include <cstring>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <utility>

namespace ichor::grpc {

namespace asio = boost::asio;

namespace {

/// What OpenSSL or the system says about the last failure; a fixed text if neither does.
std::string failure_text(int system_error) {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (error != 0) {
    const char* reason = ERR_reason_error_string(error);
    return reason ? reason : "TLS error";
  }
  return system_error != 0 ? std::strerror(system_error) : "the connection was closed";
}

/// OpenSSL writes to sockets without MSG_NOSIGNAL, so its writes go through this BIO: a peer that
/// is gone must be an error and not a signal.
int write_quietly(BIO* bio, const char* bytes, int size) {
  const int fd = static_cast<int>(BIO_get_fd(bio, nullptr));
  errno = 0;
  const ssize_t written = ::send(fd, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  BIO_clear_retry_flags(bio);
  if (written < 0 && BIO_sock_should_retry(static_cast<int>(written))) BIO_set_retry_write(bio);
  return static_cast<int>(written);
}

BIO_METHOD* quiet_socket() {
  static BIO_METHOD* const method = [] {
    const BIO_METHOD* plain = BIO_s_socket();
    BIO_METHOD* made = BIO_meth_new(BIO_TYPE_SOCKET, "socket without signals");
    BIO_meth_set_write(made, write_quietly);
    BIO_meth_set_read(made, BIO_meth_get_read(plain));
    BIO_meth_set_puts(made, BIO_meth_get_puts(plain));
    BIO_meth_set_ctrl(made, BIO_meth_get_ctrl(plain));
    BIO_meth_set_create(made, BIO_meth_get_create(plain));
    BIO_meth_set_destroy(made, BIO_meth_get_destroy(plain));
    return made;
  }();
  return method;
}

}  // namespace

TlsStream::TlsStream(asio::ip::tcp::socket socket, SslPtr tls)
    : socket_(std::move(socket)), tls_(std::move(tls)) {
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  BIO* bio = BIO_new(quiet_socket());
  BIO_set_fd(bio, socket_.native_handle(), BIO_NOCLOSE);
  SSL_set_bio(tls_.get(), bio, bio);
  SSL_set_mode(tls_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                               SSL_MODE_RELEASE_BUFFERS);
}

TlsStream::~TlsStream() {
  if (tls_) close();
}

TlsStream::Step TlsStream::step(int result) {
  if (result > 0) return {Step::Kind::moved, static_cast<std::size_t>(result)};
  const int system_error = errno;
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ: return {Step::Kind::wants_read};
    case SSL_ERROR_WANT_WRITE: return {Step::Kind::wants_write};
    case SSL_ERROR_SYSCALL: return {Step::Kind::closed, 0, failure_text(system_error)};
    default: return {Step::Kind::closed, 0, failure_text(0)};
  }
}

TlsStream::Step TlsStream::handshake() {
  ERR_clear_error();
  errno = 0;
  return step(SSL_do_handshake(tls_.get()));
}

TlsStream::Step TlsStream::read(char* buffer, std::size_t size) {
  ERR_clear_error();
  errno = 0;
  return step(SSL_read(tls_.get(), buffer, static_cast<int>(size)));
}

TlsStream::Step TlsStream::write(const char* bytes, std::size_t size) {
  ERR_clear_error();
  errno = 0;
  return step(SSL_write(tls_.get(), bytes, static_cast<int>(size)));
}

TlsStream::Step TlsStream::peek() {
  ERR_clear_error();
  errno = 0;
  char byte = 0;
  return step(SSL_peek(tls_.get(), &byte, 1));
}

void TlsStream::await(Step::Kind wanted, std::function<void(bool)> ready) {
  const auto what = wanted == Step::Kind::wants_write ? asio::socket_base::wait_write
                                                      : asio::socket_base::wait_read;
  socket_.async_wait(
      what, [ready = std::move(ready)](const boost::system::error_code& error) { ready(!error); });
}

void TlsStream::close() {
  if (!socket_.is_open()) return;
  ERR_clear_error();
  if (SSL_is_init_finished(tls_.get())) SSL_shutdown(tls_.get());
  ERR_clear_error();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void TlsStream::cut() {
  boost::system::error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  socket_.close(ignored);
}

}  // namespace ichor::grpc
