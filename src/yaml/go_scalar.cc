#include "yaml/go_scalar.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>

#include "base/check.h"

namespace ichor::yaml {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && is_digit(text[at + count])) ++count;
  return count;
}

/// [-+]? ( .d+ | d+ (. d*)? ) ( [eE] [-+]? d+ )?
bool is_decimal(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t whole = digits_at(text, at);
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t part = digits_at(text, at + 1);
    if (whole == 0 && part == 0) return false;
    at += 1 + part;
  } else if (whole == 0) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const std::size_t power = digits_at(text, at);
    if (power == 0) return false;
    at += power;
  }
  return at == text.size();
}

/// The shortest digits that mean the number, and the power of ten of the first one.
struct Digits {
  bool negative{false};
  std::string digits;
  int exponent{0};
};

Digits shortest(double number) {
  char buffer[64];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific);
  check(error == std::errc{}, "a double has at most 17 digits");
  std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  Digits result;
  if (text.starts_with('-')) {
    result.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t mark = text.find('e');
  for (const char c : text.substr(0, mark)) {
    if (c != '.') result.digits += c;
  }
  std::string_view power = text.substr(mark + 1);
  const bool below = power.starts_with('-');
  power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), result.exponent);
  if (below) result.exponent = -result.exponent;
  return result;
}

std::string fixed(const Digits& d) {
  std::string out = d.negative ? "-" : "";
  const auto size = static_cast<int>(d.digits.size());
  if (d.exponent < 0) {
    out += "0." + std::string(static_cast<std::size_t>(-d.exponent - 1), '0') + d.digits;
    return d.digits == "0" ? std::string(d.negative ? "-0" : "0") : out;
  }
  for (int i = 0; i <= d.exponent; ++i)
    out += i < size ? d.digits[static_cast<std::size_t>(i)] : '0';
  if (size > d.exponent + 1) {
    out += '.';
    out += std::string_view(d.digits).substr(static_cast<std::size_t>(d.exponent) + 1);
  }
  return out;
}

std::string scientific(const Digits& d, int power_width) {
  std::string out = d.negative ? "-" : "";
  out += d.digits[0];
  if (d.digits.size() > 1) out += '.' + d.digits.substr(1);
  return out +
         fmt::format("e{}{:0{}}", d.exponent < 0 ? '-' : '+', std::abs(d.exponent), power_width);
}

/// A number in one of the forms that the callers have checked.
double to_double(std::string_view text) {
  // Unlike std::from_chars it tells a number that is too small from one that is too large.
  return std::strtod(std::string(text).c_str(), nullptr);
}

bool is_odd(std::string_view text) { return text == "NaN" || text == "+Inf" || text == "-Inf"; }

struct Whole {
  bool fits_signed{false};
  bool fits_unsigned{false};
  std::string text;
};

/// As Go's ParseInt with base 0: 0x, 0o, 0b, and a leading 0 for octal.
Whole parse_whole(std::string_view text) {
  Whole whole;
  bool negative = false;
  bool has_sign = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    has_sign = true;
    text.remove_prefix(1);
  }
  if (text.empty()) return whole;
  int base = 10;
  if (text[0] == '0') {
    const char kind = text.size() >= 3 ? static_cast<char>(text[1] | 0x20) : '\0';
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    text.remove_prefix(kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1);
  }
  std::uint64_t number = 0;
  if (!text.empty()) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, base);
    if (error != std::errc{} || stop != end) return whole;
  }
  constexpr std::uint64_t max = INT64_MAX;
  whole.fits_signed = number <= max + (negative ? 1 : 0);
  whole.fits_unsigned = !has_sign;
  whole.text = (negative && number != 0 ? "-" : "") + std::to_string(number);
  return whole;
}

class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  /// One of Go's layouts: a date; with T or t, a time and a zone; with a blank, a time.
  std::optional<std::string> read() {
    if (digits_at(text_, 0) != 4) return std::nullopt;
    const int year = number(4);
    if (!take('-')) return std::nullopt;
    const int month = number(2);
    if (!take('-')) return std::nullopt;
    const int day = number(2);
    if (!good_ || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) {
      return std::nullopt;
    }
    std::string out = fmt::format("{:04}-{:02}-{:02}T", year, month, day);
    if (text_.empty()) return out + "00:00:00Z";
    const char mark = text_.front();
    text_.remove_prefix(1);
    if (mark != 'T' && mark != 't' && mark != ' ') return std::nullopt;
    if (!read_clock(out)) return std::nullopt;
    if (mark == ' ') {
      if (!text_.empty()) return std::nullopt;
      return out + 'Z';
    }
    return read_zone(out) ? std::optional(out) : std::nullopt;
  }

 private:
  static int days_in(int year, int month) {
    constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap ? 1 : 0);
  }

  bool take(char c) {
    good_ = good_ && !text_.empty() && text_.front() == c;
    if (good_) text_.remove_prefix(1);
    return good_;
  }

  /// A number of one to `width` digits.
  int number(std::size_t width) {
    const std::size_t count = std::min(digits_at(text_, 0), width);
    good_ = good_ && count > 0;
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value * 10 + (text_[i] - '0');
    text_.remove_prefix(count);
    return value;
  }

  bool read_clock(std::string& out) {
    const int hour = number(2);
    if (!take(':')) return false;
    const int minute = number(2);
    if (!take(':')) return false;
    const int second = number(2);
    if (!good_ || hour > 23 || minute > 59 || second > 59) return false;
    out += fmt::format("{:02}:{:02}:{:02}", hour, minute, second);
    if (text_.size() >= 2 && (text_[0] == '.' || text_[0] == ',') && is_digit(text_[1])) {
      const std::size_t count = digits_at(text_, 1);
      std::string part(text_.substr(1, std::min<std::size_t>(count, 9)));
      while (part.ends_with('0')) part.pop_back();
      if (!part.empty()) out += '.' + part;
      text_.remove_prefix(1 + count);
    }
    return true;
  }

  bool read_zone(std::string& out) {
    if (text_ == "Z") {
      out += 'Z';
      return true;
    }
    const bool shaped = text_.size() == 6 && (text_[0] == '+' || text_[0] == '-') &&
                        digits_at(text_, 1) == 2 && text_[3] == ':' && digits_at(text_, 4) == 2;
    if (!shaped) return false;
    const std::string_view hour = text_.substr(1, 2);
    const std::string_view minute = text_.substr(4, 2);
    if (hour > "23" || minute > "59") return false;
    out += hour == "00" && minute == "00" ? std::string("Z") : std::string(text_);
    return true;
  }

  std::string_view text_;
  bool good_{true};
};

GoScalar resolve_number(std::string_view text) {
  if (auto time = go_time(text)) return {GoType::time, *std::move(time)};
  std::string plain;
  for (const char c : text) {
    if (c != '_') plain += c;
  }
  Whole whole = parse_whole(plain);
  if (whole.fits_signed) return {GoType::integer, std::move(whole.text)};
  if (whole.fits_unsigned) return {GoType::too_large, std::string(text)};
  if (is_decimal(plain)) {
    if (auto number = go_float(plain)) return {GoType::floating, *std::move(number)};
  }
  return {GoType::string, std::string(text)};
}

}  // namespace

GoScalar resolve_go(std::string_view text) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
      if (text == word) return true;
    }
    return false;
  };
  if (is_one_of({"", "~", "null", "Null", "NULL"})) return {GoType::null, {}};
  if (is_one_of({"true", "True", "TRUE"})) return {GoType::boolean, "True"};
  if (is_one_of({"false", "False", "FALSE"})) return {GoType::boolean, "False"};
  if (is_one_of({".nan", ".NaN", ".NAN"})) return {GoType::floating, "NaN"};
  if (is_one_of({".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) {
    return {GoType::floating, "+Inf"};
  }
  if (is_one_of({"-.inf", "-.Inf", "-.INF"})) return {GoType::floating, "-Inf"};
  if (text[0] == '.') {
    if (is_decimal(text)) {
      if (auto number = go_float(text)) return {GoType::floating, *std::move(number)};
    }
  } else if (is_digit(text[0]) || text[0] == '-' || text[0] == '+') {
    return resolve_number(text);
  }
  return {GoType::string, std::string(text)};
}

std::optional<std::string> go_integer(std::string_view text) {
  const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  if (text.size() == sign || digits_at(text, sign) != text.size() - sign) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return std::to_string(number);
}

std::optional<std::string> go_float(std::string_view text) {
  if (is_odd(text)) return std::string(text);
  if (!is_decimal(text)) return std::nullopt;
  const double number = to_double(text);
  if (std::isinf(number)) return std::nullopt;
  return fixed(shortest(number));
}

std::optional<std::string> go_time(std::string_view text) { return TimeReader(text).read(); }

std::optional<std::string> go_bool(std::string_view text) {
  for (const char* word : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == word) return "True";
  }
  for (const char* word : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == word) return "False";
  }
  return std::nullopt;
}

std::string yaml_float(std::string_view text) {
  if (text == "NaN") return ".nan";
  if (text == "+Inf") return ".inf";
  if (text == "-Inf") return "-.inf";
  const Digits digits = shortest(to_double(text));
  const bool long_power = digits.exponent < -4 || digits.exponent >= 6;
  return long_power ? scientific(digits, 2) : fixed(digits);
}

std::optional<std::string> json_float(std::string_view text) {
  if (is_odd(text)) return std::nullopt;
  const Digits digits = shortest(to_double(text));
  const bool long_power = digits.digits != "0" && (digits.exponent < -6 || digits.exponent >= 21);
  // Go cuts a zero from a negative power of one digit, and leaves a positive one alone.
  return long_power ? scientific(digits, digits.exponent < 0 ? 1 : 2) : fixed(digits);
}

}  // namespace ichor::yaml
