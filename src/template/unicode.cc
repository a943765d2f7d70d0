#include "template/unicode.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "template/case_table.h"

namespace ichor::jinja {

namespace {

constexpr char32_t kSharpS = 0xDF, kSigma = 0x3A3, kFinalSigma = 0x3C2;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// How many bytes the code point takes that starts with this byte; zero for none.
std::size_t width(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

char32_t decode(std::string_view text, std::size_t at, std::size_t bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  switch (bytes) {
    case 1: return byte(0);
    case 2: return ((byte(0) & 0x1Fu) << 6) | (byte(1) & 0x3Fu);
    case 3: return ((byte(0) & 0x0Fu) << 12) | ((byte(1) & 0x3Fu) << 6) | (byte(2) & 0x3Fu);
    default:
      return ((byte(0) & 0x07u) << 18) | ((byte(1) & 0x3Fu) << 12) | ((byte(2) & 0x3Fu) << 6) |
             (byte(3) & 0x3Fu);
  }
}

char32_t mapped(char32_t point, std::span<const CaseRange> table) {
  if (point < 0x41) return point;
  const auto after =
      std::upper_bound(table.begin(), table.end(), point,
                       [](char32_t p, const CaseRange& range) { return p < range.first; });
  if (after == table.begin()) return point;
  const CaseRange& range = *std::prev(after);
  if (point > range.last || (point - range.first) % range.stride != 0) return point;
  return static_cast<char32_t>(static_cast<std::int32_t>(point) + range.delta);
}

char32_t upper_of(char32_t point) { return mapped(point, kToUpper); }
char32_t lower_of(char32_t point) { return mapped(point, kToLower); }

void append_upper(std::string& text, char32_t point) {
  if (point == kSharpS) {
    text += "SS";
  } else {
    append_point(text, upper_of(point));
  }
}

void append_title(std::string& text, char32_t point) {
  if (point == kSharpS) {
    text += "Ss";
  } else {
    append_point(text, upper_of(point));
  }
}

void append_lower(std::string& text, const std::vector<char32_t>& points, std::size_t at) {
  const bool is_final = points[at] == kSigma && at > 0 && is_letter(points[at - 1]) &&
                        (at + 1 == points.size() || !is_letter(points[at + 1]));
  append_point(text, is_final ? kFinalSigma : lower_of(points[at]));
}

bool is_line_end(char32_t point) {
  return (point >= 0x0A && point <= 0x0D) || (point >= 0x1C && point <= 0x1E) || point == 0x85 ||
         point == 0x2028 || point == 0x2029;
}

/// The bytes that each code point of the text takes.
struct Point {
  char32_t value;
  std::size_t at, size;
};

std::vector<Point> points_with_places(std::string_view text) {
  std::vector<Point> points;
  points.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = width(static_cast<unsigned char>(text[at]));
    points.push_back({decode(text, at, size), at, size});
    at += size;
  }
  return points;
}

template <class Unwanted>
std::string_view strip_if(std::string_view text, Side side, Unwanted unwanted) {
  const auto wants = [side](Side which) {
    return (static_cast<int>(side) & static_cast<int>(which)) != 0;
  };
  if (wants(Side::left)) {
    while (!text.empty()) {
      const std::size_t size = width(static_cast<unsigned char>(text[0]));
      if (!unwanted(decode(text, 0, size))) break;
      text.remove_prefix(size);
    }
  }
  if (wants(Side::right)) {
    while (!text.empty()) {
      std::size_t at = text.size() - 1;
      while (at > 0 && is_continuation(text[at])) --at;
      if (!unwanted(decode(text, at, text.size() - at))) break;
      text.remove_suffix(text.size() - at);
    }
  }
  return text;
}

}  // namespace

std::optional<std::size_t> find_bad_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = width(static_cast<unsigned char>(bytes[at]));
    if (size == 0 || at + size > bytes.size()) return at;
    for (std::size_t i = 1; i < size; ++i) {
      if (!is_continuation(bytes[at + i])) return at;
    }
    const char32_t point = decode(bytes, at, size);
    const bool is_overlong = (size == 3 && point < 0x800) || (size == 4 && point < 0x10000);
    const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (is_overlong || is_surrogate || point > 0x10FFFF) return at;
    at += size;
  }
  return std::nullopt;
}

bool is_utf8(std::string_view bytes) { return !find_bad_utf8(bytes); }

std::size_t count_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string_view slice_points(std::string_view text, std::size_t first, std::size_t last) {
  std::size_t at = 0;
  const auto skip = [&](std::size_t count) {
    for (; count > 0 && at < text.size(); --count)
      at += width(static_cast<unsigned char>(text[at]));
  };
  skip(first);
  const std::size_t start = at;
  skip(last > first ? last - first : 0);
  return text.substr(start, at - start);
}

std::vector<char32_t> to_points(std::string_view text) {
  std::vector<char32_t> points;
  points.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = width(static_cast<unsigned char>(text[at]));
    points.push_back(decode(text, at, size));
    at += size;
  }
  return points;
}

void append_point(std::string& text, char32_t point) {
  const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | (point >> 6));
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | (point >> 12));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | (point >> 18));
    put(0x80 | ((point >> 12) & 0x3F));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

bool is_space(char32_t point) {
  return (point >= 0x09 && point <= 0x0D) || (point >= 0x1C && point <= 0x20) || point == 0x85 ||
         point == 0xA0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200A) ||
         point == 0x2028 || point == 0x2029 || point == 0x202F || point == 0x205F ||
         point == 0x3000;
}

bool is_digit(char32_t point) { return point >= '0' && point <= '9'; }

// Beyond Latin-1 whatever is neither punctuation, symbol nor space counts as a letter.
bool is_letter(char32_t point) {
  if (point < 0x80) return (point | 0x20) >= 'a' && (point | 0x20) <= 'z';
  if (point < 0xC0) return point == 0xAA || point == 0xB5 || point == 0xBA;
  if (point == 0xD7 || point == 0xF7) return false;
  const bool is_symbol =
      (point >= 0x2000 && point <= 0x2070) || (point >= 0x20A0 && point <= 0x20FF) ||
      (point >= 0x2190 && point <= 0x2BFF) || (point >= 0x3000 && point <= 0x3004) ||
      (point >= 0x3008 && point <= 0x3020) || (point >= 0xD800 && point <= 0xF8FF) ||
      (point >= 0x1F000);
  return !is_symbol;
}

bool is_printable(char32_t point) {
  if (point == ' ') return true;
  if (point < 0x20 || (point >= 0x7F && point <= 0xA0) || point == 0xAD) return false;
  if (is_space(point)) return false;
  return !((point >= 0x200B && point <= 0x200F) || (point >= 0x202A && point <= 0x202E) ||
           (point >= 0x2060 && point <= 0x206F) || (point >= 0xD800 && point <= 0xF8FF) ||
           point == 0xFEFF || point == 0xFFFE || point == 0xFFFF || point >= 0xE0000);
}

bool is_lower(char32_t point) { return point == kSharpS || upper_of(point) != point; }
bool is_upper(char32_t point) { return lower_of(point) != point; }

std::string to_upper(std::string_view text) {
  std::string result;
  for (const char32_t point : to_points(text)) append_upper(result, point);
  return result;
}

std::string to_lower(std::string_view text) {
  std::string result;
  const std::vector<char32_t> points = to_points(text);
  for (std::size_t i = 0; i < points.size(); ++i) append_lower(result, points, i);
  return result;
}

std::string to_capitalized(std::string_view text) {
  std::string result;
  const std::vector<char32_t> points = to_points(text);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0) {
      append_title(result, points[i]);
    } else {
      append_lower(result, points, i);
    }
  }
  return result;
}

std::string to_title(std::string_view text) {
  std::string result;
  const std::vector<char32_t> points = to_points(text);
  bool in_word = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (in_word) {
      append_lower(result, points, i);
    } else {
      append_title(result, points[i]);
    }
    in_word = is_lower(points[i]) || is_upper(points[i]);
  }
  return result;
}

std::string swap_case(std::string_view text) {
  std::string result;
  const std::vector<char32_t> points = to_points(text);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_upper(points[i])) {
      append_lower(result, points, i);
    } else {
      append_upper(result, points[i]);
    }
  }
  return result;
}

std::string_view strip(std::string_view text, Side side) { return strip_if(text, side, is_space); }

std::string_view strip(std::string_view text, std::string_view chars, Side side) {
  const std::vector<char32_t> unwanted = to_points(chars);
  return strip_if(text, side, [&](char32_t point) {
    return std::find(unwanted.begin(), unwanted.end(), point) != unwanted.end();
  });
}

std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string_view> lines;
  const std::vector<Point> points = points_with_places(text);
  std::size_t start = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_line_end(points[i].value)) continue;
    const std::size_t end = points[i].at;
    const bool is_crlf =
        points[i].value == '\r' && i + 1 < points.size() && points[i + 1].value == '\n';
    if (is_crlf) ++i;
    const std::size_t next = points[i].at + points[i].size;
    lines.push_back(text.substr(start, (keep_ends ? next : end) - start));
    start = next;
  }
  if (start < text.size()) lines.push_back(text.substr(start));
  return lines;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::optional<std::size_t> start;
  for (const Point& point : points_with_places(text)) {
    const bool space = is_space(point.value);
    if (space && start) words.push_back(text.substr(*start, point.at - *start));
    if (space) start.reset();
    if (!space && !start) start = point.at;
  }
  if (start) words.push_back(text.substr(*start));
  return words;
}

}  // namespace ichor::jinja
