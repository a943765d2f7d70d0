#include "base/clean_text.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"

namespace ichor {

namespace {

struct Range {
  char32_t first, last;
};

constexpr Range kMisleading[] = {
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // grapheme joiner
    {0x061C, 0x061C},    // direction mark
    {0x115F, 0x1160},    // fillers
    {0x17B4, 0x17B5},    // vowels that are not shown
    {0x180B, 0x180F},    // Mongolian selectors and separators
    {0x200B, 0x200F},    // zero width, direction marks
    {0x2028, 0x202E},    // line and paragraph breaks, directions
    {0x2060, 0x206F},    // invisible operators, isolates
    {0x3164, 0x3164},    // filler
    {0xFE00, 0xFE0F},    // variation selectors carry hidden bytes
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // filler
    {0xFFF0, 0xFFFB},    // annotations
    {0x13430, 0x1345F},  // joiners of hieroglyphs
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0xE0FFF},  // tags and variation selectors
};

constexpr char32_t kEscape = 0x1B;

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

bool starts_string(char32_t code) {
  return code == 0x90 || code == 0x98 || (code >= 0x9D && code <= 0x9F);
}

bool starts_sequence(char32_t code) {
  return code == kEscape || code == 0x9B || starts_string(code);
}

bool is_printable_ascii(char byte) { return byte >= 0x20 && byte <= 0x7E; }

/// Drops what a string sequence (OSC, DCS, SOS, PM, APC) carries, up to BEL, ST or the line's end.
void skip_string(std::string_view& text) {
  while (!text.empty() && text.front() != '\n') {
    const Rune rune = first_rune(text);
    text.remove_prefix(std::max<std::size_t>(rune.size, 1));
    if (rune.code == 0x07 || rune.code == 0x9C) return;
    if (rune.code == kEscape) {
      if (text.starts_with('\\')) text.remove_prefix(1);
      return;
    }
  }
}

/// Drops parameters and the final byte of a control sequence; stops at what does not belong to one.
void skip_control_sequence(std::string_view& text) {
  while (!text.empty()) {
    const char next = text.front();
    if (!is_printable_ascii(next)) return;
    text.remove_prefix(1);
    if (next >= 0x40) return;
  }
}

/// Drops the rest of a sequence whose first character was `code`.
void skip_sequence(std::string_view& text, char32_t code) {
  if (code == 0x9B) return skip_control_sequence(text);
  if (starts_string(code)) return skip_string(text);
  if (text.empty() || !is_printable_ascii(text.front())) return;
  const char kind = text.front();
  text.remove_prefix(1);
  if (kind == '[') return skip_control_sequence(text);
  if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
    return skip_string(text);
  }
  // Intermediate bytes announce one final byte, as in ESC ( B.
  for (char last = kind; last < 0x30 && !text.empty();) {
    last = text.front();
    if (!is_printable_ascii(last)) return;
    text.remove_prefix(1);
  }
}

std::string cleaned(std::string_view hostile, std::size_t bytes_max, bool keep_lines) {
  std::string text;
  while (!hostile.empty()) {
    const Rune rune = first_rune(hostile);
    const std::size_t size = std::max<std::size_t>(rune.size, 1);
    if (text.size() + size > bytes_max) break;
    const std::string_view character = hostile.substr(0, size);
    hostile.remove_prefix(size);
    if (rune.size == 0) {
      text += '?';
    } else if (rune.code == '\n' || rune.code == '\t') {
      text += keep_lines ? character.front() : ' ';
    } else if (rune.code == '\r') {
      // A carriage return alone would let what follows overwrite the line.
      if (!keep_lines || !hostile.starts_with('\n')) text += ' ';
    } else if (starts_sequence(rune.code)) {
      skip_sequence(hostile, rune.code);
    } else if (!is_control(rune.code) && !misleads(rune.code)) {
      text += character;
    }
  }
  return text;
}

}  // namespace

bool misleads(char32_t code) {
  if (code < kMisleading[0].first) return false;
  return std::any_of(std::begin(kMisleading), std::end(kMisleading),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

std::string clean_text(std::string_view hostile, std::size_t bytes_max) {
  return cleaned(hostile, bytes_max, false);
}

std::string clean_lines(std::string_view hostile) {
  return cleaned(hostile, std::string::npos, true);
}

bool is_clean(std::string_view text) {
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    const bool layout = rune.code == '\n' || rune.code == '\t';
    if (rune.size == 0 || misleads(rune.code) || (is_control(rune.code) && !layout)) return false;
    text.remove_prefix(rune.size);
  }
  return true;
}

}  // namespace ichor
