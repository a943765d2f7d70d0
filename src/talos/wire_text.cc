#include "talos/wire_text.h"

#include <cstdint>

namespace ichor {

namespace {

/// The length of the UTF-8 sequence that starts `bytes`, and its code point; zero if there is none.
struct Rune {
  std::size_t size{0};
  std::uint32_t code{0};
};

Rune first_rune(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes.size() < size) return {};
  std::uint32_t code = lead & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((at(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (at(i) & 0x3fu);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return {};
  return {size, code};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/// Characters that change the direction of the text around them, or that nobody sees: with them a
/// node could make a line read as another one.
bool misleads(std::uint32_t code) {
  const bool direction = code == 0x061c || code == 0x200e || code == 0x200f ||
                         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  const bool line_break = code == 0x2028 || code == 0x2029;
  const bool invisible = (code >= 0x200b && code <= 0x200d) || code == 0x2060 || code == 0xfeff;
  return direction || line_break || invisible;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const Rune rune = first_rune(bytes);
    if (rune.size == 0) return false;
    bytes.remove_prefix(rune.size);
  }
  return true;
}

std::string clean_text(std::string_view hostile, std::size_t bytes_max) {
  std::string text;
  while (!hostile.empty()) {
    const Rune rune = first_rune(hostile);
    const std::size_t size = rune.size == 0 ? 1 : rune.size;
    if (text.size() + size > bytes_max) break;
    if (rune.size == 0) {
      text += '?';
    } else if (rune.code == '\n' || rune.code == '\t' || rune.code == '\r') {
      text += ' ';
    } else if (!is_control(rune.code) && !misleads(rune.code)) {
      text += hostile.substr(0, size);
    }
    hostile.remove_prefix(size);
  }
  return text;
}

}  // namespace ichor
