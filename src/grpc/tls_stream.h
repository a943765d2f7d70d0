#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <openssl/ssl.h>
#include <string>

namespace ichor::grpc {

struct SslDelete {
  void operator()(SSL* tls) const { SSL_free(tls); }
};
using SslPtr = std::unique_ptr<SSL, SslDelete>;

/// TLS on a connected TCP socket of the loop. No call blocks; each says what it waits for.
class TlsStream {
 public:
  struct Step {
    enum class Kind { moved, wants_read, wants_write, closed } kind{Kind::closed};
    std::size_t size{0};  // moved: how many bytes
    std::string why{};    // closed
  };

  /// `tls` knows its role already.
  TlsStream(boost::asio::ip::tcp::socket socket, SslPtr tls);
  TlsStream(TlsStream&&) = default;
  ~TlsStream();

  Step handshake();
  Step read(char* buffer, std::size_t size);
  Step write(const char* bytes, std::size_t size);
  /// Whether the peer has said anything; it stays to be read.
  Step peek();

  /// Calls back once when what a step wanted may go on, or with false when the stream was closed.
  void await(Step::Kind wanted, std::function<void(bool)> ready);

  /// Tells the peer, as far as that does not wait, and closes.
  void close();
  /// Closes so that the peer sees a reset.
  void cut();

  SSL* tls() { return tls_.get(); }
  boost::asio::any_io_executor executor() { return socket_.get_executor(); }

 private:
  Step step(int result);

  boost::asio::ip::tcp::socket socket_;
  SslPtr tls_;
};

}  // namespace ichor::grpc
