#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ichor {

/// What port forwarding needs of RFC 6455, as a client: bytes in, bytes out, no socket.

/// What a server must answer to this Sec-WebSocket-Key.
std::string websocket_accept(const std::string& key);

/// One whole message of bytes, masked as a client must do it.
std::string websocket_message(std::string_view payload, const std::array<unsigned char, 4>& mask);
/// The answer to a ping.
std::string websocket_pong(std::string_view payload, const std::array<unsigned char, 4>& mask);

/// The messages in what a server sends. Pieces of a message are put together, up to a limit.
class WebSocketReader {
 public:
  enum class Kind { message, ping, closed, broken };
  struct Read {
    Kind kind;
    std::string text;  // of a message or a ping; what is broken
  };

  explicit WebSocketReader(std::size_t message_max) : message_max_(message_max) {}

  void receive(std::string_view bytes) { unread_ += bytes; }
  /// The next one that is whole. After `closed` and `broken` there is none.
  std::optional<Read> next();

 private:
  struct Frame {
    unsigned char opcode;
    bool is_last;
    std::string payload;
  };

  std::optional<Frame> take_frame();
  Read broken(std::string why);

  std::size_t message_max_;
  std::string unread_;
  std::string message_;
  bool within_message_{false};
  bool over_{false};
  std::string fault_;
};

}  // namespace ichor
