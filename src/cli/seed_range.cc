#include "cli/seed_range.h"

#include <charconv>

namespace ichor {

std::optional<std::uint64_t> to_seed(std::string_view text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc() || read != end) return std::nullopt;
  return seed;
}

std::string take_range(const std::string& text, SeedRange& range) {
  const std::size_t dots = text.find("..");
  const auto first = to_seed(std::string_view(text).substr(0, dots));
  const auto last =
      dots == std::string::npos ? first : to_seed(std::string_view(text).substr(dots + 2));
  if (!first || !last || *last < *first) {
    return "\"" + text + "\" is not a range of seeds such as 1..2000";
  }
  range = {*first, *last};
  return {};
}

}  // namespace ichor
