#include "template/literal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "template/number.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

bool is_digit_of(char letter, int base) {
  const int value = letter >= '0' && letter <= '9'   ? letter - '0'
                    : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                    : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10
                                                     : 99;
  return value < base;
}

/// A row of digits with single underscores between; `leading` allows one in front.
std::size_t digits_size(std::string_view text, int base, bool leading) {
  std::size_t at = 0;
  while (at < text.size()) {
    const bool skips = text[at] == '_' && (at > 0 || leading);
    const std::size_t digit = skips ? at + 1 : at;
    if (digit >= text.size() || !is_digit_of(text[digit], base)) break;
    at = digit + 1;
  }
  return at;
}

std::optional<std::size_t> float_size(std::string_view text) {
  std::size_t at = digits_size(text, 10, false);
  if (at == 0) return std::nullopt;
  bool is_float = false;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits_size(text.substr(at + 1), 10, false);
    if (fraction > 0) {
      at += 1 + fraction;
      is_float = true;
    }
  }
  if (at < text.size() && (text[at] | 0x20) == 'e') {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    const std::size_t digits = digits_size(text.substr(std::min(exponent, text.size())), 10, false);
    if (digits > 0) {
      at = exponent + digits;
      is_float = true;
    }
  }
  return is_float ? std::optional(at) : std::nullopt;
}

std::size_t integer_size(std::string_view text) {
  constexpr std::array<std::pair<char, int>, 3> bases{{{'b', 2}, {'o', 8}, {'x', 16}}};
  for (const auto& [letter, base] : bases) {
    if (text.size() < 3 || text[0] != '0' || (text[1] | 0x20) != letter) continue;
    const std::size_t digits = digits_size(text.substr(2), base, true);
    if (digits > 0) return 2 + digits;
  }
  // A zero is followed by zeros only; "012" is two numbers, and no expression.
  return digits_size(text, text[0] == '0' ? 1 : 10, false);
}

/// \xHH, \uHHHH and \UHHHHHHHH.
Outcome<char32_t> hex_point(std::string_view text, std::size_t digits) {
  std::uint32_t point = 0;
  const std::string_view hex = text.substr(0, digits);
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), point, 16);
  const bool is_whole = hex.size() == digits && end == hex.data() + hex.size();
  if (error != std::errc() || !is_whole) {
    return trouble("an escape with too few hexadecimal digits", "write \\\\ for a backslash");
  }
  if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
    return trouble("an escape that is no character", "write the character itself");
  }
  return static_cast<char32_t>(point);
}

/// \o, \oo or \ooo; returns how many digits were taken.
std::size_t append_octal(std::string_view text, std::string& out) {
  std::size_t size = 0;
  char32_t point = 0;
  while (size < 3 && size < text.size() && is_digit_of(text[size], 8)) {
    point = point * 8 + static_cast<char32_t>(text[size++] - '0');
  }
  append_point(out, point);
  return size;
}

}  // namespace

std::optional<NumberLiteral> number_at(std::string_view text, bool after_dot) {
  if (text.empty() || !is_digit(static_cast<unsigned char>(text[0]))) return std::nullopt;
  const auto as_float = after_dot ? std::nullopt : float_size(text);
  if (as_float) {
    const auto value = read_float(text.substr(0, *as_float));
    return NumberLiteral{*as_float, Value::floating(value.value_or(0))};
  }
  const std::size_t size = integer_size(text);
  const auto value = read_integer(text.substr(0, size), 0);
  if (!value) return NumberLiteral{size, std::nullopt};
  return NumberLiteral{size, Value::integer(*value)};
}

std::size_t name_size(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size()) {
    const auto byte = static_cast<unsigned char>(text[size]);
    if (byte < 0x80) {
      if (!is_letter(byte) && byte != '_' && !(size > 0 && is_digit(byte))) break;
      ++size;
      continue;
    }
    const std::size_t width = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (!is_letter(to_points(text.substr(size, width))[0])) break;
    size += width;
  }
  return size;
}

Outcome<std::string> unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out.push_back(text[i]);
      continue;
    }
    const char letter = text[++i];
    static constexpr std::string_view names("\\'\"abfnrtv"), meanings("\\'\"\a\b\f\n\r\t\v");
    const std::size_t known = names.find(letter);
    if (known != std::string_view::npos) {
      out.push_back(meanings[known]);
    } else if (letter == '\n') {
      continue;
    } else if (letter == 'x' || letter == 'u' || letter == 'U') {
      const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
      const auto point = hex_point(text.substr(i + 1), digits);
      if (!point) return forward_error(point);
      append_point(out, *point);
      i += digits;
    } else if (is_digit_of(letter, 8)) {
      i += append_octal(text.substr(i), out) - 1;
    } else if (letter == 'N') {
      return trouble("an escape by the character's name", "write the character itself");
    } else {
      out.push_back('\\');
      out.push_back(letter);
    }
  }
  return out;
}

}  // namespace ichor::jinja
