#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <nghttp2/nghttp2.h>
#include <string>
#include <string_view>
#include <vector>

#include "grpc/framing.h"

namespace ichor::grpc {

/// Bounds that hold whatever a peer does. Both roles use the same ones.
struct Http2Limits {
  std::size_t message_bytes_max{32u << 20};
  /// Of one header block after decompression, with 32 bytes for each line as HTTP/2 counts.
  std::size_t header_bytes_max{64u << 10};
  /// Complete messages that wait to be read before the sender is held back.
  std::size_t unread_bytes_max{256u << 10};
  /// Bytes without any content for a call, since content went either way: PING, SETTINGS, empty
  /// DATA, kinds of frames that HTTP/2 does not know, headers that do not end.
  std::size_t idle_bytes_max{256u << 10};
  /// Of a server: pings from the client since it was sent anything. grpc-go ends the connection at
  /// the next one, because they come more often than every five minutes.
  std::size_t pings_max{3};
  std::uint32_t concurrent_streams_max{1'000};
};

/// Bytes on their way to the peer within one stream. They are overwritten as soon as they have been
/// copied into a frame, because a machine config holds private keys.
struct Outgoing {
  std::deque<std::string> pieces;
  std::size_t offset{0};  // of the first piece
  std::size_t bytes{0};   // in all pieces together
  bool closed{false};     // nothing will be added
  bool deferred{false};   // HTTP/2 waits for more

  Outgoing() = default;
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;
  ~Outgoing() { clear(); }

  void add(std::string piece);
  void clear();
};

/// Bytes from the peer within one stream, cut into messages. While more than
/// Http2Limits::unread_bytes_max wait here, the peer's flow control window stays closed.
struct Incoming {
  explicit Incoming(std::size_t message_bytes_max) : reader(message_bytes_max) {}

  MessageReader reader;
  std::deque<std::string> messages;
  std::size_t unread_bytes{0};
  std::size_t withheld_bytes{0};  // received and not yet given back to the peer's window
};

/// Headers that came in one piece: a request, a response, or trailers.
struct HeaderBlock {
  Metadata headers;       // empty if they are too large
  bool too_large{false};  // beyond Http2Limits::header_bytes_max
  bool ends{false};       // nothing follows on this stream
};

/// One HTTP/2 connection without a socket: bytes go in with receive() and come out of output().
/// Nothing here waits, reads a clock or starts by itself, so tests and fuzzers drive it like the
/// socket does. http2_client.h and http2_server.h give it the two roles of gRPC.
class Http2 {
 public:
  virtual ~Http2();
  Http2(const Http2&) = delete;
  Http2& operator=(const Http2&) = delete;

  /// Takes bytes from the peer.
  void receive(std::string_view bytes);

  /// The next bytes for the peer, until output_sent() says how many of them left; empty: nothing to
  /// send. The view ends with the next call of any function.
  std::string_view output();
  void output_sent(std::size_t bytes);

  /// Once over, nothing is sent or received. why() is fit for people.
  bool over() const { return over_; }
  const std::string& why() const { return why_; }
  /// The peer takes no new streams; those that are open go on.
  bool peer_leaves() const { return peer_leaves_; }
  /// The bytes below ended. All streams end with it.
  void end(std::string why);

  /// Asks the peer for a sign of life; pongs() counts the answers.
  void ping();
  std::uint64_t pongs() const { return pongs_; }
  /// Frames with content for a call (HEADERS, DATA) that came in.
  std::uint64_t content_frames() const { return content_frames_; }

  /// Runs when output appears outside of receive(). It must not call back into this object.
  std::function<void()> on_output;

 protected:
  enum class Role { client, server };
  Http2(Role role, Http2Limits limits);

  nghttp2_session* session() { return session_; }
  const Http2Limits& limits() const { return limits_; }
  void tell_output();

  /// Adds received bytes to a stream and keeps its window.
  MessageReader::Result take_in(std::int32_t stream, Incoming& incoming, std::string_view bytes);
  /// Takes the first message and opens the window again.
  std::string take_message(std::int32_t stream, Incoming& incoming);
  void reset_stream(std::int32_t stream, std::uint32_t error);
  /// There is more to send on a stream that had nothing left.
  void resume(std::int32_t stream, Outgoing& outgoing);
  /// For nghttp2_submit_*: the body of a stream, and headers that live at least as long as the
  /// call.
  static nghttp2_data_provider provider_of(Outgoing& outgoing);
  static std::vector<nghttp2_nv> header_lines(const Metadata& headers);

  // What the peer did. None of these may end or destroy this object.
  virtual void on_headers(std::int32_t stream, HeaderBlock block) = 0;
  virtual void on_data(std::int32_t stream, std::string_view bytes) = 0;
  virtual void on_end_stream(std::int32_t stream) = 0;
  virtual void on_closed(std::int32_t stream, std::uint32_t error) = 0;
  virtual void on_settings() {}
  virtual void on_headers_sent(std::int32_t, bool /*ends*/) {}
  /// All bytes of a stream were sent. The server adds its trailers.
  virtual void on_outgoing_end(std::int32_t) {}
  /// Called once; streams that are still open must be ended.
  virtual void on_over() = 0;

 private:
  struct Callbacks;
  void fail_for_people(const std::string& why);
  void check_alive();
  void note_content();
  void count_ping();

  Role role_;
  Http2Limits limits_;
  nghttp2_session* session_{nullptr};
  std::string output_;
  std::size_t output_sent_{0};
  Metadata block_;  // the header block that is being received
  std::size_t block_bytes_{0};
  std::uint64_t pongs_{0};
  std::uint64_t content_frames_{0};
  std::size_t idle_bytes_{0};
  std::size_t pings_{0};
  bool peer_leaves_{false};
  bool over_{false};
  std::string why_;
  std::string complaint_;  // what HTTP/2 said about the peer's last mistake
};

}  // namespace ichor::grpc
