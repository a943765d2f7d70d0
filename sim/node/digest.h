#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/ids.h"

namespace ichor::sim {

/// One step of splitmix64: mixes a number well and reversibly.
constexpr std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ull;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

/// 256 bits that differ for different texts, the same on every platform and far cheaper than
/// SHA-256. For tests and for things the model makes up; it protects nothing.
Digest quick_digest(std::string_view text);

/// The first eight bytes as a number.
std::uint64_t head_of(const Digest& digest);

/// 256 bits from a number, and their base64 text: the form of a key fingerprint.
Fingerprint fingerprint_from(std::uint64_t seed);

/// A random-looking UUID in text form from 128 bits.
std::string uuid_from(std::uint64_t high, std::uint64_t low);

}  // namespace ichor::sim
