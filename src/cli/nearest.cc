#include "cli/nearest.h"

#include <algorithm>

namespace ichor {

namespace {

/// Letters to add, drop, change or swap with a neighbour to make one word of the other.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::vector<std::size_t>> cost(one.size() + 1,
                                             std::vector<std::size_t>(other.size() + 1));
  for (std::size_t i = 0; i <= one.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= other.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t change = one[i - 1] == other[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      const bool swapped =
          i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[one.size()][other.size()];
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& known) {
  constexpr std::size_t typed_max = 64;
  if (typed.size() > typed_max) return {};
  std::string best;
  std::size_t best_distance = std::min<std::size_t>(3, (typed.size() + 1) / 2);
  for (const std::string& word : known) {
    const std::size_t away = distance(typed, word);
    if (away >= best_distance) continue;
    best_distance = away;
    best = word;
  }
  return best;
}

}  // namespace ichor
