#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "grpc/http2.h"
#include "grpc/tls_stream.h"

namespace ichor::grpc {

/// Moves bytes between a TLS stream and an HTTP/2 connection until one of them ends. It keeps
/// itself alive while it waits for the socket, so whoever made it must close() it.
class Pump : public std::enable_shared_from_this<Pump> {
 public:
  struct Hooks {
    std::function<void(std::string_view)> received;  // hands bytes to the connection
    std::function<void()> sent;                      // after bytes of the connection left
    std::function<void(const std::string&)> ended;   // the stream or the connection is over
  };

  Pump(TlsStream stream, std::shared_ptr<Http2> http2, Hooks hooks);

  /// To be called once the handshake is over. Sends what is there and listens.
  void start();
  /// Sends what is there, soon.
  void wake();
  /// Ends without calling a hook.
  void close();
  void cut();

  /// Bytes that came in so far, for keepalive.
  std::uint64_t received_bytes() const { return received_bytes_; }

 private:
  void run();
  bool pull();
  bool push();
  void await(TlsStream::Step::Kind wanted);
  void finish(const std::string& why);

  TlsStream stream_;
  std::shared_ptr<Http2> http2_;
  Hooks hooks_;
  std::uint64_t received_bytes_{0};
  bool running_{false};
  bool woken_{false};
  bool awaits_read_{false};
  bool awaits_write_{false};
  bool read_blocked_{false};
  bool write_blocked_{false};
  bool closed_{false};
};

}  // namespace ichor::grpc
