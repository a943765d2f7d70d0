#include "sim/node/digest.h"

#include <array>
#include <cstddef>
#include <fmt/format.h>

namespace ichor::sim {

namespace {

constexpr std::size_t kBytes = 32;

std::array<std::uint8_t, kBytes> stretch(std::uint64_t seed) {
  std::array<std::uint8_t, kBytes> bytes{};
  for (std::size_t i = 0; i < kBytes; ++i) {
    if (i % 8 == 0) seed = mix(seed);
    bytes[i] = static_cast<std::uint8_t>(seed >> (8 * (i % 8)));
  }
  return bytes;
}

}  // namespace

Digest quick_digest(std::string_view text) {
  std::uint64_t state = mix(text.size());
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    word = (word << 8) | static_cast<std::uint8_t>(text[i]);
    if (i % 8 == 7) state = mix(state ^ word);
  }
  return Digest{stretch(mix(state ^ word))};
}

std::uint64_t head_of(const Digest& digest) {
  std::uint64_t head = 0;
  for (std::size_t i = 0; i < 8; ++i) head = (head << 8) | digest.bytes[i];
  return head;
}

Fingerprint fingerprint_from(std::uint64_t seed) {
  static constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto bytes = stretch(seed);
  std::string text;
  text.reserve(44);
  for (std::size_t i = 0; i < kBytes; i += 3) {
    const bool whole = i + 2 < kBytes;  // 32 bytes end in a group of two
    const std::uint32_t group = (std::uint32_t{bytes[i]} << 16) |
                                (std::uint32_t{bytes[i + 1]} << 8) |
                                (whole ? std::uint32_t{bytes[i + 2]} : 0u);
    text += alphabet[(group >> 18) & 63u];
    text += alphabet[(group >> 12) & 63u];
    text += alphabet[(group >> 6) & 63u];
    text += whole ? alphabet[group & 63u] : '=';
  }
  return Fingerprint(std::move(text));
}

std::string uuid_from(std::uint64_t high, std::uint64_t low) {
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xfff, 0x8000 | ((low >> 48) & 0x3fff), low & 0xffff'ffff'ffffull);
}

}  // namespace ichor::sim
