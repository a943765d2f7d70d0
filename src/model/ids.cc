#include "model/ids.h"

namespace ichor {

std::string to_hex(const Digest& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  hex.reserve(digest.bytes.size() * 2);
  for (const std::uint8_t byte : digest.bytes) {
    hex.push_back(digits[byte >> 4]);
    hex.push_back(digits[byte & 15]);
  }
  return hex;
}

namespace {
int nibble(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}
}  // namespace

Digest digest_from_hex(std::string_view hex) {
  Digest digest;
  if (hex.size() != digest.bytes.size() * 2) return {};
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const int high = nibble(hex[2 * i]);
    const int low = nibble(hex[2 * i + 1]);
    if (high < 0 || low < 0) return {};
    digest.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return digest;
}

}  // namespace ichor
