#include "template/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "template/unicode.h"

namespace ichor::jinja {

namespace {

constexpr std::int64_t kIntegerMin = std::numeric_limits<std::int64_t>::min();

constexpr double kBeyondInteger = 9223372036854775808.0;  // 2 ** 63

tl::unexpected<Trouble> too_large() {
  return trouble("an integer outside of 64 bits", "use a float, or a smaller number");
}

tl::unexpected<Trouble> by_zero() {
  return trouble("division by zero", "check the divisor before dividing");
}

/// Without the underscores that stand between two digits; nothing if one stands elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
  const auto is_digit_at = [&](std::size_t i) {
    return i < text.size() && (is_digit(static_cast<unsigned char>(text[i])) ||
                               is_letter(static_cast<unsigned char>(text[i])));
  };
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      digits.push_back(text[i]);
    } else if (i == 0 || !is_digit_at(i - 1) || !is_digit_at(i + 1)) {
      return std::nullopt;
    }
  }
  return digits;
}

bool starts_with_base(std::string_view digits, char letter) {
  return digits.size() > 1 && digits[0] == '0' && (digits[1] | 0x20) == letter;
}

Outcome<Value> divide_floor(std::int64_t a, std::int64_t b, bool wants_remainder) {
  if (b == 0) return by_zero();
  if (b == -1) {
    if (wants_remainder) return Value::integer(0);
    if (a == kIntegerMin) return too_large();
    return Value::integer(-a);
  }
  std::int64_t quotient = a / b, remainder = a % b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) {
    --quotient;
    remainder += b;
  }
  return Value::integer(wants_remainder ? remainder : quotient);
}

Outcome<Value> power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) return trouble("zero raised to a negative power", "check the exponent");
    return Value::floating(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return too_large();
    exponent >>= 1;
    if (exponent == 0) break;
    // Powers of 0, 1 and -1 never grow, however large the exponent is.
    if (__builtin_mul_overflow(base, base, &base)) return too_large();
  }
  return Value::integer(result);
}

Outcome<Value> on_integers(Arithmetic operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (operation) {
    case Arithmetic::add:
      if (__builtin_add_overflow(a, b, &result)) return too_large();
      return Value::integer(result);
    case Arithmetic::subtract:
      if (__builtin_sub_overflow(a, b, &result)) return too_large();
      return Value::integer(result);
    case Arithmetic::multiply:
      if (__builtin_mul_overflow(a, b, &result)) return too_large();
      return Value::integer(result);
    case Arithmetic::divide:
      if (b == 0) return by_zero();
      return Value::floating(static_cast<double>(a) / static_cast<double>(b));
    case Arithmetic::floor_divide: return divide_floor(a, b, false);
    case Arithmetic::modulo: return divide_floor(a, b, true);
    case Arithmetic::power: return power(a, b);
  }
  return Value::none();
}

double float_modulo(double a, double b) {
  double remainder = std::fmod(a, b);
  if (remainder == 0) return std::copysign(0.0, b);
  if ((remainder < 0) != (b < 0)) remainder += b;
  return remainder;
}

double float_floor_divide(double a, double b) {
  const double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}

Outcome<Value> on_floats(Arithmetic operation, double a, double b) {
  switch (operation) {
    case Arithmetic::add: return Value::floating(a + b);
    case Arithmetic::subtract: return Value::floating(a - b);
    case Arithmetic::multiply: return Value::floating(a * b);
    case Arithmetic::divide:
      if (b == 0) return by_zero();
      return Value::floating(a / b);
    case Arithmetic::floor_divide:
      if (b == 0) return by_zero();
      return Value::floating(float_floor_divide(a, b));
    case Arithmetic::modulo:
      if (b == 0) return by_zero();
      return Value::floating(float_modulo(a, b));
    case Arithmetic::power: {
      if (a == 0 && b < 0) return trouble("zero raised to a negative power", "check the exponent");
      if (a < 0 && std::isfinite(a) && std::isfinite(b) && std::trunc(b) != b) {
        return trouble("a negative number raised to a fraction", "check the base");
      }
      const double result = std::pow(a, b);
      if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) {
        return trouble("a float grows beyond its range", "use a smaller exponent");
      }
      return Value::floating(result);
    }
  }
  return Value::none();
}

}  // namespace

std::string float_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer{};
  const double size = std::fabs(number);
  const bool with_exponent = size != 0 && (size < 1e-4 || size >= 1e16);
  const auto form = with_exponent ? std::chars_format::scientific : std::chars_format::fixed;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, form);
  std::string text(buffer.data(), end);
  if (!with_exponent && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::optional<std::int64_t> read_integer(std::string_view text, int base) {
  text = strip(text);
  bool is_negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    is_negative = text[0] == '-';
    text.remove_prefix(1);
  }
  constexpr std::array<std::pair<int, char>, 3> prefixes{{{2, 'b'}, {8, 'o'}, {16, 'x'}}};
  bool has_prefix = false;
  for (const auto& [of_base, letter] : prefixes) {
    if (has_prefix || (base != of_base && base != 0) || !starts_with_base(text, letter)) continue;
    base = of_base;
    has_prefix = true;
    text.remove_prefix(2);
    if (!text.empty() && text[0] == '_') text.remove_prefix(1);
  }
  const auto digits = without_underscores(text);
  if (!digits || digits->empty()) return std::nullopt;
  if (base == 0) {
    base = 10;
    const bool is_zero = digits->find_first_not_of('0') == std::string::npos;
    if (digits->front() == '0' && !is_zero) return std::nullopt;
  }
  if (base < 2 || base > 36) return std::nullopt;
  const std::string number = (is_negative ? "-" : "") + *digits;
  if (digits->front() == '-' || digits->front() == '+') return std::nullopt;
  std::int64_t result = 0;
  const char* const end = number.data() + number.size();
  const auto [read, error] = std::from_chars(number.data(), end, result, base);
  if (error != std::errc() || read != end) return std::nullopt;
  return result;
}

std::optional<double> read_float(std::string_view text) {
  text = strip(text);
  const auto digits = without_underscores(text);
  if (!digits || digits->empty()) return std::nullopt;
  std::string number = to_lower(*digits);
  bool is_negative = false;
  if (number[0] == '-' || number[0] == '+') {
    is_negative = number[0] == '-';
    number.erase(0, 1);
  }
  const auto signed_value = [&](double value) { return is_negative ? -value : value; };
  if (number == "inf" || number == "infinity") {
    return signed_value(std::numeric_limits<double>::infinity());
  }
  if (number == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (number.empty() || !(is_digit(static_cast<unsigned char>(number[0])) || number[0] == '.')) {
    return std::nullopt;
  }
  double result = 0;
  const char* const end = number.data() + number.size();
  const auto [read, error] = std::from_chars(number.data(), end, result);
  if (read != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool is_tiny = number.find("e-") != std::string::npos;
    result = is_tiny ? 0.0 : std::numeric_limits<double>::infinity();
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  return signed_value(result);
}

Outcome<Value> calculate(Arithmetic operation, const Value& a, const Value& b) {
  if (a.is_integral() && b.is_integral()) {
    return on_integers(operation, a.as_integer(), b.as_integer());
  }
  return on_floats(operation, a.as_number(), b.as_number());
}

std::optional<int> order_of(const Value& a, const Value& b) {
  const auto ordered = [](auto left, auto right) {
    return left < right ? -1 : left > right ? 1 : 0;
  };
  if (a.is_integral() && b.is_integral()) return ordered(a.as_integer(), b.as_integer());
  if (a.is(Kind::floating) && b.is(Kind::floating)) {
    if (std::isnan(a.as_floating()) || std::isnan(b.as_floating())) return std::nullopt;
    return ordered(a.as_floating(), b.as_floating());
  }
  if (a.is(Kind::floating)) {
    const auto mirrored = order_of(b, a);
    return mirrored ? std::optional(-*mirrored) : std::nullopt;
  }
  const double number = b.as_floating();
  if (std::isnan(number)) return std::nullopt;
  // A float with a fraction is small enough for the integer to be compared as a float.
  if (std::trunc(number) != number) return ordered(a.as_number(), number);
  if (number >= kBeyondInteger) return -1;
  if (number < -kBeyondInteger) return 1;
  return ordered(a.as_integer(), static_cast<std::int64_t>(number));
}

Outcome<Value> negate(const Value& number) {
  if (number.is(Kind::floating)) return Value::floating(-number.as_floating());
  if (number.as_integer() == kIntegerMin) return too_large();
  return Value::integer(-number.as_integer());
}

Outcome<Value> truncate_to_integer(double number) {
  if (!std::isfinite(number)) {
    return trouble("inf or nan cannot be an integer", "check where the number comes from");
  }
  if (number >= kBeyondInteger || number < -kBeyondInteger) return too_large();
  return Value::integer(static_cast<std::int64_t>(number));
}

std::string fixed_text(double number, int digits) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  return fmt::format("{:.{}f}", number, digits);
}

Outcome<Value> round_number(const Value& number, std::int64_t digits) {
  if (number.is_integral()) {
    const std::int64_t value = number.as_integer();
    if (digits >= 0) return Value::integer(value);
    if (digits < -18) return Value::integer(0);
    std::int64_t unit = 1;
    for (std::int64_t i = 0; i < -digits; ++i) unit *= 10;
    std::int64_t rest = value % unit;
    if (rest < 0) rest += unit;
    std::int64_t lower = 0;
    if (__builtin_sub_overflow(value, rest, &lower)) return too_large();
    const bool is_odd = (lower / unit) % 2 != 0;
    const bool goes_up = rest > unit - rest || (rest == unit - rest && is_odd);
    if (goes_up && __builtin_add_overflow(lower, unit, &lower)) return too_large();
    return Value::integer(lower);
  }
  const double value = number.as_floating();
  if (!std::isfinite(value) || digits > 323) return number;
  if (digits < -308) return Value::floating(std::copysign(0.0, value));
  if (digits >= 0) {
    // Printed exactly and read again: the decimal digits decide, not a product that was rounded.
    return Value::floating(read_float(fixed_text(value, static_cast<int>(digits))).value_or(value));
  }
  const double unit = std::pow(10.0, static_cast<double>(-digits));
  return Value::floating(std::nearbyint(value / unit) * unit);
}

}  // namespace ichor::jinja
