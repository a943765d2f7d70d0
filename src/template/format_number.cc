#include "template/format_number.h"

#include <cmath>
#include <cstdint>
#include <fmt/format.h>

#include "template/number.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

constexpr int kPrecisionMax = 400;

std::string grouped(std::string digits, char separator, std::size_t size) {
  if (separator == 0) return digits;
  std::size_t end = digits.find_first_not_of("0123456789abcdefABCDEF");
  if (end == std::string::npos) end = digits.size();
  for (std::size_t at = end; at > size;) {
    at -= size;
    digits.insert(at, 1, separator);
  }
  return digits;
}

/// The digits of an integer without its sign, in base 2, 8, 10 or 16.
std::string digits_of(std::int64_t number, const FormatSpec& spec) {
  const std::uint64_t size = number < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(number)
                                        : static_cast<std::uint64_t>(number);
  std::string prefix, digits;
  switch (spec.type) {
    case 'b':
      prefix = "0b";
      digits = fmt::format("{:b}", size);
      break;
    case 'o':
      prefix = "0o";
      digits = fmt::format("{:o}", size);
      break;
    case 'x':
      prefix = "0x";
      digits = fmt::format("{:x}", size);
      break;
    case 'X':
      prefix = "0X";
      digits = fmt::format("{:X}", size);
      break;
    default: digits = fmt::format("{}", size); break;
  }
  digits = grouped(std::move(digits), spec.grouping, prefix.empty() ? 3 : 4);
  return spec.alternate ? prefix + digits : digits;
}

std::string float_digits(double size, const FormatSpec& spec) {
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  switch (spec.type) {
    case 'e': return fmt::format("{:.{}e}", size, precision);
    case 'E': return fmt::format("{:.{}E}", size, precision);
    case 'g':
    case 'n': return fmt::format("{:.{}g}", size, precision == 0 ? 1 : precision);
    case 'G': return fmt::format("{:.{}G}", size, precision == 0 ? 1 : precision);
    case '%': return fixed_text(size * 100, precision) + "%";
    case 0: {
      if (spec.precision < 0) return float_text(size);
      // Without a type it is like g, but an integer keeps a digit after its point.
      std::string text = fmt::format("{:.{}g}", size, spec.precision == 0 ? 1 : spec.precision);
      const bool is_whole = text.find_first_of(".en") == std::string::npos;
      const bool has_room = static_cast<int>(text.size()) < spec.precision;
      if (is_whole && has_room) text += ".0";
      return text;
    }
    default: return fixed_text(size, precision);
  }
}

std::string sign_for(bool is_negative, char sign) {
  if (is_negative) return "-";
  return sign == '+' ? "+" : sign == ' ' ? " " : "";
}

}  // namespace

Outcome<std::string> format_number(const Value& number, const FormatSpec& spec) {
  if (spec.precision > kPrecisionMax) {
    return trouble(fmt::format("a precision of more than {} digits", kPrecisionMax),
                   "use fewer digits");
  }
  static constexpr std::string_view integer_types("diuboxXc"), float_types("eEfFgGn%");
  const bool wants_float = float_types.find(spec.type) != std::string_view::npos && spec.type != 0;
  if (number.is_integral() && !wants_float) {
    const std::int64_t value = number.as_integer();
    return sign_for(value < 0, spec.sign) + digits_of(value, spec);
  }
  if (spec.type != 0 && integer_types.find(spec.type) != std::string_view::npos) {
    return trouble(fmt::format("a float cannot be formatted as '{}'", spec.type),
                   "convert it with | int");
  }
  const double value = number.as_number();
  const bool is_negative = std::signbit(value) && !std::isnan(value);
  std::string digits = float_digits(std::fabs(value), spec);
  if (spec.type == 'n' || spec.type == 'F' || spec.type == 0 || wants_float) {
    digits = grouped(std::move(digits), spec.grouping, 3);
  }
  return sign_for(is_negative, spec.sign) + digits;
}

Outcome<std::string> pad(std::string text, const FormatSpec& spec, char usual_align, Meter& meter) {
  const std::size_t size = count_points(text);
  const auto width = static_cast<std::size_t>(std::max(spec.width, 0));
  if (size >= width) return text;
  if (auto paid = meter.spend_text(text.size() + (width - size) * spec.fill.size()); !paid) {
    return forward_error(paid);
  }
  const auto filling = [&](std::size_t count) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i) result += spec.fill;
    return result;
  };
  const std::size_t missing = width - size;
  switch (spec.align != 0 ? spec.align : usual_align) {
    case '<': return text + filling(missing);
    case '^': return filling(missing / 2) + text + filling(missing - missing / 2);
    case '=': {
      std::size_t start = text.find_first_of("+- ") == 0 ? 1 : 0;
      const bool has_prefix =
          text.size() > start + 1 && text[start] == '0' &&
          std::string_view("xXob").find(text[start + 1]) != std::string_view::npos;
      if (has_prefix) start += 2;
      return text.substr(0, start) + filling(missing) + text.substr(start);
    }
    default: return filling(missing) + text;
  }
}

}  // namespace ichor::jinja
