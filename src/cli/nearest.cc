#include "cli/nearest.h"

#include <algorithm>

#include "base/nearest_name.h"

namespace ichor {

std::string nearest(std::string_view typed, const std::vector<std::string>& known) {
  constexpr std::size_t typed_max = 64;
  if (typed.size() > typed_max) return {};
  std::string best;
  std::size_t best_distance = std::min<std::size_t>(3, (typed.size() + 1) / 2);
  for (const std::string& word : known) {
    const std::size_t away = edit_distance(typed, word);
    if (away >= best_distance) continue;
    best_distance = away;
    best = word;
  }
  return best;
}

}  // namespace ichor
