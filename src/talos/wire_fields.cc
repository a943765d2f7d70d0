#include "talos/wire_fields.h"

#include <cstdint>
#include <optional>

namespace ichor {

namespace {

/// Deeper messages have no more fields than bytes, and the decoder itself stops at a hundred.
constexpr int kDepthMax = 12;

std::optional<std::uint64_t> take_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

bool skip(std::string_view& bytes, std::uint64_t size) {
  if (size > bytes.size()) return false;
  bytes.remove_prefix(static_cast<std::size_t>(size));
  return true;
}

/// Nothing if it is no message.
std::optional<std::size_t> count(std::string_view bytes, int depth) {
  enum Wire : std::uint64_t { number = 0, eight_bytes = 1, sized = 2, four_bytes = 5 };
  std::size_t fields = 0;
  while (!bytes.empty()) {
    const auto tag = take_number(bytes);
    if (!tag || *tag >> 3 == 0) return std::nullopt;
    ++fields;
    bool whole = false;
    switch (*tag & 7) {
      case number: whole = take_number(bytes).has_value(); break;
      case eight_bytes: whole = skip(bytes, 8); break;
      case four_bytes: whole = skip(bytes, 4); break;
      case sized: {
        const auto size = take_number(bytes);
        if (!size || *size > bytes.size()) return std::nullopt;
        const std::string_view inner = bytes.substr(0, static_cast<std::size_t>(*size));
        if (depth < kDepthMax) fields += count(inner, depth + 1).value_or(0);
        whole = skip(bytes, *size);
        break;
      }
      default: break;
    }
    if (!whole) return std::nullopt;
  }
  return fields;
}

}  // namespace

std::size_t wire_fields(std::string_view message) { return count(message, 0).value_or(0); }

}  // namespace ichor
