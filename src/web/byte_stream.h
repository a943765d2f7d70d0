#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "web/http_connection.h"

namespace ichor {

/// Why a connection does no more. Without a text all is well.
struct StreamTrouble {
  std::string text;  // "connect: Connection refused"
  TlsVerdict tls{TlsVerdict::fine};
  bool ended{false};  // the peer ended the connection in order
};

/// A connection to a peer, with TLS where the peer has it: bytes in, bytes out. Both kinds are one
/// class, and asio's templates stay in its source file: they are most of the size of what uses
/// them.
///
/// Callbacks come on the loop, never from within a call, and not after close().
class ByteStream {
 public:
  using Done = std::function<void(const StreamTrouble&)>;
  using Got = std::function<void(std::string_view, const StreamTrouble&)>;

  static std::shared_ptr<ByteStream> make(boost::asio::io_context& io, const HttpPeer& peer);
  virtual ~ByteStream() = default;

  /// Resolves, connects, shakes hands and compares the pin: when `done` says that all is well, the
  /// peer is the one that was asked for.
  virtual void open(Done done) = 0;
  /// One write at a time.
  virtual void write(std::string bytes, Done done) = 0;
  /// Whatever comes next; valid until the callback returns. One read at a time.
  virtual void read(Got got) = 0;
  virtual void close() = 0;
};

}  // namespace ichor
