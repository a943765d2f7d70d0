#include "view/cells.h"

#include <algorithm>
#include <iterator>

#include "base/clean_text.h"
#include "base/redact.h"
#include "base/utf8.h"

namespace ichor {

namespace {

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

int cells_of(char32_t point) {
  if (within(kNarrowless, point)) return 0;
  return within(kWide, point) ? 2 : 1;
}

/// Takes one character off the front; a byte that is none counts as one.
std::pair<std::string_view, int> take(std::string_view& text) {
  const Rune rune = first_rune(text);
  const std::string_view character = text.substr(0, std::max<std::size_t>(rune.size, 1));
  text.remove_prefix(character.size());
  return {character, rune.size == 0 ? 1 : cells_of(rune.code)};
}

}  // namespace

std::string clean(std::string_view text) {
  return redact_urls(clean_text(text, std::string::npos));
}

int cell_count(std::string_view text) {
  int cells = 0;
  while (!text.empty()) cells += take(text).second;
  return cells;
}

std::string cut(std::string_view text, int width) {
  if (width <= 0) return {};
  if (cell_count(text) <= width) return std::string(text);
  std::string head;
  int cells = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const auto [character, size] = take(rest);
    cells += size;
    if (cells > width - 1) break;
    head += character;
  }
  return head + "…";
}

std::string fit(std::string_view text, int width) {
  std::string fitted = cut(text, width);
  fitted.append(static_cast<std::size_t>(std::max(0, width - cell_count(fitted))), ' ');
  return fitted;
}

}  // namespace ichor
