#include "secrets/bech32.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ichor::secrets {

namespace {

constexpr std::string_view kLetters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::size_t kChecksum = 6;
constexpr std::size_t kLengthMax = 8192;

using Groups = std::vector<std::uint8_t>;  // of five bits

/// One step of the checksum, a division of polynomials over GF(32).
std::uint32_t fold(std::uint32_t sum, std::uint8_t value) {
  constexpr std::uint32_t generator[] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                         0x2a1462b3};
  const std::uint32_t top = sum >> 25;
  sum = (sum & 0x1ffffff) << 5 ^ value;
  for (int i = 0; i < 5; ++i) {
    if (top >> i & 1) sum ^= generator[i];
  }
  return sum;
}

std::uint32_t checksum(std::string_view prefix, const Groups& groups) {
  std::uint32_t sum = 1;
  for (const char c : prefix) sum = fold(sum, static_cast<std::uint8_t>(c) >> 5);
  sum = fold(sum, 0);
  for (const char c : prefix) sum = fold(sum, static_cast<std::uint8_t>(c) & 31);
  for (const std::uint8_t group : groups) sum = fold(sum, group);
  return sum;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
char lowered(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

/// Eight-bit bytes of five-bit groups; nothing if what is left over is not less than a group of
/// zeros.
std::optional<SecretString> join(const Groups& groups) {
  std::string bytes;
  bytes.reserve(groups.size());  // never grown, so no copy stays behind
  std::uint32_t bits = 0;
  int count = 0;
  for (const std::uint8_t group : groups) {
    bits = bits << 5 | group;
    count += 5;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  const bool clean = count < 5 && (bits & ((1u << count) - 1)) == 0;
  SecretString joined(std::move(bytes));
  if (!clean) return std::nullopt;
  return joined;
}

}  // namespace

std::optional<Bech32> from_bech32(std::string_view text) {
  if (text.size() > kLengthMax) return std::nullopt;
  if (std::any_of(text.begin(), text.end(), is_upper) &&
      std::any_of(text.begin(), text.end(), is_lower)) {
    return std::nullopt;
  }
  const std::size_t one = text.rfind('1');
  if (one == std::string_view::npos || one == 0 || text.size() - one - 1 < kChecksum) {
    return std::nullopt;
  }
  Bech32 result;
  for (const char c : text.substr(0, one)) {
    if (c < 33 || c > 126) return std::nullopt;
    result.prefix += lowered(c);
  }
  Groups groups;
  groups.reserve(text.size());
  bool known = true;
  for (const char c : text.substr(one + 1)) {
    const std::size_t value = kLetters.find(lowered(c));
    known = known && value != std::string_view::npos;
    groups.push_back(static_cast<std::uint8_t>(value & 31));
  }
  const bool whole = known && checksum(result.prefix, groups) == 1;
  std::optional<SecretString> bytes;
  if (whole) {
    std::fill(groups.end() - kChecksum, groups.end(), 0);
    groups.resize(groups.size() - kChecksum);
    bytes = join(groups);
  }
  std::fill(groups.begin(), groups.end(), 0);
  if (!bytes) return std::nullopt;
  result.bytes = *std::move(bytes);
  return result;
}

std::string to_bech32(std::string_view prefix, std::string_view bytes) {
  Groups groups;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<std::uint8_t>(byte);
    count += 8;
    while (count >= 5) {
      count -= 5;
      groups.push_back(bits >> count & 31);
    }
  }
  if (count > 0) groups.push_back(bits << (5 - count) & 31);
  const std::size_t size = groups.size();
  groups.resize(size + kChecksum, 0);
  const std::uint32_t sum = checksum(prefix, groups) ^ 1;
  std::string text(prefix);
  text += '1';
  for (std::size_t i = 0; i < size; ++i) text += kLetters[groups[i]];
  for (std::size_t i = 0; i < kChecksum; ++i) {
    text += kLetters[sum >> 5 * (kChecksum - 1 - i) & 31];
  }
  return text;
}

}  // namespace ichor::secrets
