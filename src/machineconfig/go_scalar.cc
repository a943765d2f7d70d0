#include "machineconfig/go_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace ichor {

namespace {

constexpr std::uint64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A number as Go's ParseUint with base 0 takes it: 0x, 0o, 0b, or a leading 0 for octal.
std::optional<std::uint64_t> parse_magnitude(std::string_view digits) {
  int base = 10;
  if (digits.size() > 1 && digits.front() == '0') {
    const char mark = digits[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    const bool marked = base != 8 || mark == 'o' || mark == 'O';
    digits.remove_prefix(marked ? 2 : 1);
  }
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  if (error != std::errc{} || stop != end || digits.empty()) return std::nullopt;
  return number;
}

/// [-+]? ( .[0-9]+ | [0-9]+ ( .[0-9]* )? ) ( [eE][-+]?[0-9]+ )?
std::optional<double> parse_float(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || (!is_digit(text.front()) && text.front() != '.')) return std::nullopt;
  if (text.front() == '.' && (text.size() < 2 || !is_digit(text[1]))) return std::nullopt;
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return negative ? -number : number;
}

void read_number(std::string_view text, GoScalar& scalar) {
  std::string bare(text);
  std::erase(bare, '_');
  std::string_view digits = bare;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (const auto magnitude = parse_magnitude(digits)) {
    if (*magnitude <= kInt64Max + (negative ? 1 : 0)) {
      scalar.type = GoScalar::Type::integer;
      scalar.integer = static_cast<std::int64_t>(negative ? ~*magnitude + 1 : *magnitude);
      return;
    }
    if (!negative && !bare.starts_with('+')) {
      scalar.type = GoScalar::Type::large;
      scalar.large = *magnitude;
      return;
    }
  }
  if (const auto floating = parse_float(bare)) {
    scalar.type = GoScalar::Type::floating;
    scalar.floating = *floating;
  }
}

}  // namespace

GoScalar read_go_scalar(const yaml::Node& node) {
  GoScalar scalar;
  if (node.is_null()) return scalar;
  scalar.type = GoScalar::Type::text;
  if (node.style == yaml::Style::quoted || node.text.empty()) return scalar;
  const std::string_view text = node.text;
  if (const auto flag = node.as_bool()) {
    scalar.type = GoScalar::Type::boolean;
    scalar.flag = *flag;
  } else if (text == "-0" || text == "-0.0") {
    scalar.type = GoScalar::Type::floating;
    scalar.floating = -0.0;
  } else if (is_digit(text.front()) || text.front() == '+' || text.front() == '-' ||
             text.front() == '.') {
    read_number(text, scalar);
    if (scalar.type == GoScalar::Type::text && node.as_double()) {
      scalar.type = GoScalar::Type::floating;
      scalar.floating = *node.as_double();
    }
  }
  return scalar;
}

bool is_go_date(std::string_view text) {
  const auto number = [&text](std::size_t least, std::size_t most) {
    std::size_t count = 0;
    int value = 0;
    while (count < text.size() && count < most && is_digit(text[count])) {
      value = value * 10 + (text[count++] - '0');
    }
    text.remove_prefix(count);
    return count < least ? -1 : value;
  };
  const auto sign = [&text](std::string_view known) {
    if (text.empty() || known.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
  };
  static constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int year = number(4, 4);
  if (year < 0 || !sign("-")) return false;
  const int month = number(1, 2);
  if (month < 1 || month > 12 || !sign("-")) return false;
  const int day = number(1, 2);
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const int last = days[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
  if (day < 1 || day > last) return false;
  if (text.empty()) return true;
  const bool zoned = text.front() != ' ';
  if (!sign("Tt ")) return false;
  const int hour = number(1, 2);
  if (hour < 0 || hour > 23 || !sign(":")) return false;
  const int minute = number(1, 2);
  if (minute < 0 || minute > 59 || !sign(":")) return false;
  const int second = number(1, 2);
  if (second < 0 || second > 59) return false;
  if (sign(".") && number(1, 9) < 0) return false;
  if (!zoned) return text.empty();
  if (text == "Z") return true;
  if (!sign("+-") || number(2, 2) < 0 || !sign(":") || number(2, 2) < 0) return false;
  return text.empty();
}

std::string write_go_float(double number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number > 0 ? ".inf" : "-.inf";
  // The shortest digits that give the number back, as ddd.ddd or, when the exponent is below -4 or
  // above 20, as d.ddde+xx.
  std::array<char, 64> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                          std::chars_format::scientific);
  if (error != std::errc{}) return "0";
  const std::string_view scientific(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t mark = scientific.find('e');
  int exponent = 0;
  const bool up = scientific[mark + 1] == '+';
  std::from_chars(scientific.data() + mark + (up ? 2 : 1), scientific.data() + scientific.size(),
                  exponent);
  if (exponent < -4 || exponent >= 21) return std::string(scientific);
  const auto [fixed_end, fixed_error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed);
  return std::string(buffer.data(), fixed_end);
}

std::optional<Duration> parse_go_duration(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 8> units = {{{"ns", 1},
                                                                                {"us", 1e3},
                                                                                {"µs", 1e3},
                                                                                {"μs", 1e3},
                                                                                {"ms", 1e6},
                                                                                {"s", 1e9},
                                                                                {"m", 60e9},
                                                                                {"h", 3600e9}}};
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Duration::zero();
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  while (!text.empty()) {
    std::size_t digits = 0;
    std::size_t dots = 0;
    while (digits < text.size() && (is_digit(text[digits]) || text[digits] == '.')) {
      dots += text[digits++] == '.' ? 1 : 0;
    }
    if (digits == 0 || digits == dots || dots > 1) return std::nullopt;
    const std::string_view number = text.substr(0, digits);
    text.remove_prefix(digits);
    const std::string_view unit =
        text.substr(0, std::min(text.find_first_of("0123456789."), text.size()));
    const auto known = std::find_if(units.begin(), units.end(),
                                    [&](const auto& one) { return one.first == unit; });
    if (known == units.end()) return std::nullopt;
    text.remove_prefix(unit.size());
    const std::size_t dot = std::min(number.find('.'), number.size());
    std::uint64_t whole = 0;
    if (dot > 0) {
      const auto [stop, error] = std::from_chars(number.data(), number.data() + dot, whole);
      if (error != std::errc{}) return std::nullopt;
    }
    double fraction = 0;
    if (dot + 1 < number.size()) {
      const std::string digits_behind = "0" + std::string(number.substr(dot));
      std::from_chars(digits_behind.data(), digits_behind.data() + digits_behind.size(), fraction);
    }
    const auto scale = static_cast<std::uint64_t>(known->second);
    if (whole > kInt64Max / scale) return std::nullopt;
    const std::uint64_t part = whole * scale + static_cast<std::uint64_t>(fraction * known->second);
    if (part > kInt64Max - static_cast<std::uint64_t>(total)) return std::nullopt;
    total += static_cast<std::int64_t>(part);
  }
  return Duration(negative ? -total : total);
}

std::string write_go_duration(Duration duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  std::uint64_t rest =
      count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  const std::string sign = count < 0 ? "-" : "";
  const auto with_fraction = [](std::uint64_t value, std::uint64_t unit) {
    std::string text = std::to_string(value / unit);
    if (value % unit == 0) return text;
    std::string behind = std::to_string(unit + value % unit).substr(1);
    while (behind.ends_with('0')) behind.pop_back();
    return text + "." + behind;
  };
  if (rest < 1'000) return sign + std::to_string(rest) + "ns";
  if (rest < 1'000'000) return sign + with_fraction(rest, 1'000) + "µs";
  if (rest < 1'000'000'000) return sign + with_fraction(rest, 1'000'000) + "ms";
  constexpr std::uint64_t second = 1'000'000'000;
  const std::uint64_t minutes = rest / (60 * second);
  std::string text = with_fraction(rest % (60 * second), second) + "s";
  if (minutes == 0) return sign + text;
  text = fmt::format("{}m{}", minutes % 60, text);
  return sign + (minutes < 60 ? text : fmt::format("{}h{}", minutes / 60, text));
}

std::optional<std::uint64_t> parse_byte_count(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() &&
         (is_digit(text[digits]) || text[digits] == '.' || text[digits] == ',')) {
    ++digits;
  }
  std::string number(text.substr(0, digits));
  std::erase(number, ',');
  double value = 0;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc{} || stop != number.data() + number.size()) return std::nullopt;
  std::string unit(text.substr(digits));
  const std::size_t from = std::min(unit.find_first_not_of(" \t\r\n"), unit.size());
  unit = unit.substr(from, unit.find_last_not_of(" \t\r\n") + 1 - from);
  for (char& c : unit) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  double scale = 1;
  if (!unit.empty() && unit != "b") {
    const std::size_t power = std::string_view("kmgtpe").find(unit.front());
    if (power == std::string_view::npos) return std::nullopt;
    const std::string_view behind = std::string_view(unit).substr(1);
    const bool binary = behind == "ib" || behind == "i";
    if (!binary && behind != "b" && !behind.empty()) return std::nullopt;
    scale = std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  value *= scale;
  if (!(value < 18446744073709551615.0)) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::string write_byte_count(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 7> units = {"B",  "kB", "MB", "GB",
                                                            "TB", "PB", "EB"};
  if (bytes < 10) return fmt::format("{} B", bytes);
  const auto value = static_cast<double>(bytes);
  const auto power = static_cast<int>(std::floor(std::log(value) / std::log(1000.0)));
  const double shown = std::floor(value / std::pow(1000.0, power) * 10 + 0.5) / 10;
  const std::string_view unit = units[static_cast<std::size_t>(power)];
  return shown < 10 ? fmt::format("{:.1f} {}", shown, unit) : fmt::format("{:.0f} {}", shown, unit);
}

}  // namespace ichor
