#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace ichor::grpc {

// How gRPC writes things into HTTP/2: messages into DATA frames, everything else into headers. Pure
// functions, and no trust in what came from a peer.

/// Header names and values in the order in which they were sent; names are in lower case.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// The message with the five bytes that stand before it on the wire.
std::string frame_message(std::string_view message);

/// Cuts a stream of bytes into messages. It never reserves memory because of an announced length:
/// a peer must send what it announces.
class MessageReader {
 public:
  enum class Result {
    fine,
    too_large,   // the announced length is beyond the limit
    compressed,  // compression was never agreed upon
  };

  explicit MessageReader(std::size_t message_bytes_max) : bytes_max_(message_bytes_max) {}

  /// Appends the messages that are complete to `out`. After a result other than fine the reader
  /// takes nothing more.
  Result feed(std::string_view bytes, std::deque<std::string>& out);
  /// Whether the bytes so far end inside a message.
  bool inside_message() const { return prefix_size_ > 0; }
  /// What the last prefix announced.
  std::uint64_t announced_bytes() const { return announced_; }

 private:
  static constexpr std::size_t kPrefixBytes = 5;

  std::size_t bytes_max_;
  unsigned char prefix_[kPrefixBytes]{};
  std::size_t prefix_size_{0};
  std::uint64_t announced_{0};
  std::string message_;
  Result result_{Result::fine};
};

/// "grpc-message": everything but printable ASCII, and the percent sign, becomes %XX.
std::string encode_status_text(std::string_view text);
/// The reverse. What is not a valid escape stays as it is.
std::string decode_status_text(std::string_view encoded);

/// "grpc-timeout": at most eight digits and a unit, rounded up, so that the server never gives up
/// before the client.
std::string encode_timeout(Duration timeout);
std::optional<Duration> decode_timeout(std::string_view text);

/// Values of headers whose name ends in "-bin". Written without padding, read with or without it.
std::string encode_binary(std::string_view bytes);
std::optional<std::string> decode_binary(std::string_view text);

}  // namespace ichor::grpc
