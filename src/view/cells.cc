#include "view/cells.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/redact.h"

namespace ichor {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first, last;
};

// Blocks rather than single characters: a column too many is harmless, a missing one shifts the
// table.
constexpr Range kNarrowless[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
    {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
};
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD},
};

template <std::size_t n>
bool within(const Range (&ranges)[n], char32_t point) {
  return std::any_of(std::begin(ranges), std::end(ranges), [&](const Range& range) {
    return point >= range.first && point <= range.last;
  });
}

/// Marks that change the direction or grouping of what stands around them.
bool reorders(char32_t point) {
  return point == 0x061C || point == 0x200E || point == 0x200F ||
         (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) ||
         point == 0xFEFF;
}

bool is_control(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x2028 || point == 0x2029;
}

/// Takes one code point off the front; kReplacement for each byte that is no UTF-8.
char32_t take(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  bool whole = length > 0 && text.size() >= length;
  char32_t point = length <= 1 ? lead : lead & (0xFF >> (length + 1));
  for (std::size_t i = 1; whole && i < length; ++i) {
    whole = (byte(i) & 0xC0) == 0x80;
    point = point << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  whole = whole && !overlong && !surrogate && point <= 0x10FFFF;
  text.remove_prefix(whole ? length : 1);
  return whole ? point : kReplacement;
}

void append(std::string& text, char32_t point) {
  const auto put = [&](char32_t bits) { text.push_back(static_cast<char>(bits)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

/// Drops what a string sequence (OSC, DCS, SOS, PM, APC) carries, up to BEL or ST or the end.
void skip_string(std::string_view& text) {
  while (!text.empty()) {
    const char32_t point = take(text);
    if (point == 0x07 || point == 0x9C) return;
    if (point == 0x1B) {
      if (text.starts_with('\\')) text.remove_prefix(1);
      return;
    }
  }
}

/// Drops parameters and the final byte of a control sequence; stops at what does not belong to one.
void skip_control_sequence(std::string_view& text) {
  while (!text.empty()) {
    const char next = text.front();
    if (next < 0x20 || next > 0x7E) return;
    text.remove_prefix(1);
    if (next >= 0x40) return;
  }
}

/// Drops the rest of an escape sequence whose first character was `point`.
void skip_escape(std::string_view& text, char32_t point) {
  if (point == 0x1B) {
    if (text.empty()) return;
    const char kind = text.front();
    if (kind < 0x20 || kind > 0x7E) return;
    text.remove_prefix(1);
    if (kind == '[') return skip_control_sequence(text);
    if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
      return skip_string(text);
    }
    // Intermediate bytes announce one final byte, as in ESC ( B.
    for (char last = kind; last < 0x30 && !text.empty();) {
      last = text.front();
      if (last < 0x20 || last > 0x7E) return;
      text.remove_prefix(1);
    }
    return;
  }
  if (point == 0x9B) skip_control_sequence(text);
  if (point == 0x90 || point == 0x98 || (point >= 0x9D && point <= 0x9F)) skip_string(text);
}

bool starts_sequence(char32_t point) {
  return point == 0x1B || point == 0x9B || point == 0x90 || point == 0x98 ||
         (point >= 0x9D && point <= 0x9F);
}

int cells_of(char32_t point) {
  if (within(kNarrowless, point)) return 0;
  return within(kWide, point) ? 2 : 1;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const char32_t point = take(text);
    if (starts_sequence(point)) {
      skip_escape(text, point);
    } else if (is_control(point)) {
      safe.push_back(' ');
    } else if (!reorders(point)) {
      append(safe, point);
    }
  }
  return redact_urls(std::move(safe));
}

int cell_count(std::string_view text) {
  int cells = 0;
  while (!text.empty()) cells += cells_of(take(text));
  return cells;
}

std::string cut(std::string_view text, int width) {
  if (width <= 0) return {};
  if (cell_count(text) <= width) return std::string(text);
  std::string head;
  int cells = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const char32_t point = take(rest);
    cells += cells_of(point);
    if (cells > width - 1) break;
    append(head, point);
  }
  return head + "…";
}

std::string fit(std::string_view text, int width) {
  std::string fitted = cut(text, width);
  fitted.append(static_cast<std::size_t>(std::max(0, width - cell_count(fitted))), ' ');
  return fitted;
}

}  // namespace ichor
