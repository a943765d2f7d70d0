#include "base/duration.h"

#include <array>
#include <charconv>
#include <utility>

namespace ichor {

namespace {

struct Unit {
  std::string_view name;
  double nanoseconds;
};

// "ms" stands before "m" because the first that fits is taken.
constexpr std::array<Unit, 4> kUnits = {{{"ms", 1e6}, {"h", 3.6e12}, {"m", 6e10}, {"s", 1e9}}};

/// Takes a number and its unit from the front of `text`.
std::optional<double> take_part(std::string_view& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  if (text.front() < '0' || text.front() > '9') return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  for (const Unit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return number * unit.nanoseconds;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  constexpr double longest = 1000 * 3.6e12;
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part) return std::nullopt;
    total += *part;
    if (total > longest) return std::nullopt;
  }
  return Duration(static_cast<Duration::rep>(total + 0.5));
}

}  // namespace ichor
