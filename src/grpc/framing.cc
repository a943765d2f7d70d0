#include "grpc/framing.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ichor::grpc {

namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kHex = "0123456789ABCDEF";

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

struct TimeUnit {
  char letter;
  Duration length;
};

// From the finest to the coarsest.
constexpr std::array<TimeUnit, 6> kTimeUnits{{{'n', std::chrono::nanoseconds(1)},
                                              {'u', std::chrono::microseconds(1)},
                                              {'m', std::chrono::milliseconds(1)},
                                              {'S', std::chrono::seconds(1)},
                                              {'M', std::chrono::minutes(1)},
                                              {'H', std::chrono::hours(1)}}};
constexpr Duration::rep kTimeoutValueMax = 99'999'999;

}  // namespace

std::string frame_message(std::string_view message) {
  std::string framed;
  framed.reserve(message.size() + 5);
  framed += '\0';
  for (int shift = 24; shift >= 0; shift -= 8) {
    framed += static_cast<char>(message.size() >> shift & 0xff);
  }
  framed += message;
  return framed;
}

MessageReader::Result MessageReader::feed(std::string_view bytes, std::deque<std::string>& out) {
  while (result_ == Result::fine && !bytes.empty()) {
    if (prefix_size_ < kPrefixBytes) {
      prefix_[prefix_size_++] = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      if (prefix_size_ < kPrefixBytes) continue;
      announced_ = 0;
      for (std::size_t i = 1; i < kPrefixBytes; ++i) announced_ = announced_ << 8 | prefix_[i];
      if (announced_ > bytes_max_) result_ = Result::too_large;
      if (prefix_[0] != 0) result_ = Result::compressed;
    }
    if (result_ != Result::fine) break;
    const std::size_t missing = static_cast<std::size_t>(announced_) - message_.size();
    const std::size_t size = std::min(missing, bytes.size());
    message_ += bytes.substr(0, size);
    bytes.remove_prefix(size);
    if (size < missing) break;
    out.push_back(std::exchange(message_, {}));
    prefix_size_ = 0;
  }
  return result_;
}

std::string encode_status_text(std::string_view text) {
  std::string encoded;
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (code >= 0x20 && code <= 0x7e && byte != '%') {
      encoded += byte;
    } else {
      encoded += {'%', kHex[code >> 4], kHex[code & 15]};
    }
  }
  return encoded;
}

std::string decode_status_text(std::string_view encoded) {
  std::string text;
  while (!encoded.empty()) {
    const bool escape = encoded[0] == '%' && encoded.size() >= 3 && hex_value(encoded[1]) >= 0 &&
                        hex_value(encoded[2]) >= 0;
    text +=
        escape ? static_cast<char>(hex_value(encoded[1]) << 4 | hex_value(encoded[2])) : encoded[0];
    encoded.remove_prefix(escape ? 3 : 1);
  }
  return text;
}

std::string encode_timeout(Duration timeout) {
  timeout = std::max(timeout, Duration::zero());
  for (const TimeUnit& unit : kTimeUnits) {
    const Duration::rep value =
        timeout / unit.length + (timeout % unit.length > Duration{} ? 1 : 0);
    if (value <= kTimeoutValueMax) return std::to_string(value) + unit.letter;
  }
  return std::to_string(kTimeoutValueMax) + "H";
}

std::optional<Duration> decode_timeout(std::string_view text) {
  if (text.size() < 2 || text.size() > 9) return std::nullopt;
  const char* const last = text.data() + text.size() - 1;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc{} || end != last) return std::nullopt;
  for (const TimeUnit& unit : kTimeUnits) {
    if (unit.letter != *last) continue;
    const auto most = static_cast<std::uint64_t>(Duration::max() / unit.length);
    return value > most ? Duration::max() : static_cast<Duration::rep>(value) * unit.length;
  }
  return std::nullopt;
}

std::string encode_binary(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (held += 8; held >= 6; held -= 6) text += kBase64[bits >> (held - 6) & 63];
  }
  if (held > 0) text += kBase64[bits << (6 - held) & 63];
  return text;
}

std::optional<std::string> decode_binary(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char letter : text) {
    const std::size_t value = kBase64.find(letter);
    if (value == kBase64.npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xff);
  }
  return bytes;
}

}  // namespace ichor::grpc
