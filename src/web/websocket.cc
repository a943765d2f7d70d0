#include "web/websocket.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <utility>

#include "secrets/base64.h"

namespace ichor {

namespace {

constexpr std::string_view kAcceptSalt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

constexpr unsigned char kLast = 0x80, kReserved = 0x70, kOpcode = 0x0f;
constexpr unsigned char kMasked = 0x80, kLength = 0x7f;
constexpr unsigned char kTwoBytes = 126, kEightBytes = 127;
constexpr unsigned char kGoesOn = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10;
constexpr std::size_t kControlMax = 125;

std::string masked_frame(unsigned char opcode, std::string_view payload,
                         const std::array<unsigned char, 4>& mask) {
  std::string frame(1, static_cast<char>(kLast | opcode));
  const std::size_t size = payload.size();
  const auto put_size = [&frame, size](unsigned char form, int bytes) {
    frame += static_cast<char>(kMasked | form);
    for (int i = bytes - 1; i >= 0; --i) frame += static_cast<char>((size >> (8 * i)) & 0xff);
  };
  if (size < kTwoBytes) {
    put_size(static_cast<unsigned char>(size), 0);
  } else if (size <= 0xffff) {
    put_size(kTwoBytes, 2);
  } else {
    put_size(kEightBytes, 8);
  }
  frame.append(mask.begin(), mask.end());
  for (std::size_t i = 0; i < size; ++i) {
    frame += static_cast<char>(static_cast<unsigned char>(payload[i]) ^ mask[i % mask.size()]);
  }
  return frame;
}

}  // namespace

std::string websocket_accept(const std::string& key) {
  const std::string salted = key + std::string(kAcceptSalt);
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  EVP_Digest(salted.data(), salted.size(), bytes.data(), &size, EVP_sha1(), nullptr);
  return pki::base64({reinterpret_cast<const char*>(bytes.data()), size});
}

std::string websocket_message(std::string_view payload, const std::array<unsigned char, 4>& mask) {
  return masked_frame(kBinary, payload, mask);
}

std::string websocket_pong(std::string_view payload, const std::array<unsigned char, 4>& mask) {
  return masked_frame(kPong, payload, mask);
}

std::optional<WebSocketReader::Frame> WebSocketReader::take_frame() {
  const auto byte = [this](std::size_t i) { return static_cast<unsigned char>(unread_[i]); };
  if (unread_.size() < 2) return std::nullopt;
  const unsigned char first = byte(0);
  const unsigned char form = byte(1) & kLength;
  const std::size_t size_bytes = form == kTwoBytes ? 2 : form == kEightBytes ? 8 : 0;
  const std::size_t head = 2 + size_bytes;
  if (unread_.size() < head) return std::nullopt;
  std::uint64_t size = size_bytes == 0 ? form : 0;
  for (std::size_t i = 2; i < head; ++i) size = (size << 8) | byte(i);
  const unsigned char opcode = first & kOpcode;
  if ((first & kReserved) != 0) fault_ = "a frame uses an extension that was not agreed on";
  if ((byte(1) & kMasked) != 0) fault_ = "a server must not mask its frames";
  const bool is_control = opcode >= kClose;
  if (is_control && (size > kControlMax || (first & kLast) == 0)) {
    fault_ = "a control frame is too long or in pieces";
  }
  if (size > message_max_) fault_ = fmt::format("a message has more than {} bytes", message_max_);
  if (!fault_.empty() || unread_.size() - head < size) return std::nullopt;
  Frame frame{opcode, (first & kLast) != 0, unread_.substr(head, size)};
  unread_.erase(0, head + size);
  return frame;
}

WebSocketReader::Read WebSocketReader::broken(std::string why) {
  over_ = true;
  return {Kind::broken, std::move(why)};
}

std::optional<WebSocketReader::Read> WebSocketReader::next() {
  while (!over_) {
    std::optional<Frame> frame = take_frame();
    if (!fault_.empty()) return broken(fault_);
    if (!frame) return std::nullopt;
    switch (frame->opcode) {
      case kClose: over_ = true; return Read{Kind::closed, {}};
      case kPing: return Read{Kind::ping, std::move(frame->payload)};
      case kPong: continue;
      case kGoesOn:
      case kText:
      case kBinary: break;
      default: return broken(fmt::format("a frame has the unknown opcode {}", frame->opcode));
    }
    if ((frame->opcode == kGoesOn) != within_message_) {
      return broken("the pieces of a message are out of order");
    }
    message_ += frame->payload;
    within_message_ = !frame->is_last;
    if (message_.size() > message_max_) {
      return broken(fmt::format("a message has more than {} bytes", message_max_));
    }
    if (frame->is_last) return Read{Kind::message, std::exchange(message_, {})};
  }
  return std::nullopt;
}

}  // namespace ichor
