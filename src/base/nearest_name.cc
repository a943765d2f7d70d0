#include "base/nearest_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace ichor {

namespace {

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' ? '_' : c;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                           folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::string_view nearest_name(std::string_view written,
                              const std::vector<std::string_view>& known) {
  constexpr std::size_t written_max = 100;
  std::string_view best;
  std::size_t best_edits = 0;
  if (written.size() > written_max) return best;
  for (const std::string_view name : known) {
    const std::size_t count = edit_distance(written, name);
    const std::size_t allowed = 1 + name.size() / 4;
    if (count <= allowed && (best.empty() || count < best_edits)) {
      best = name;
      best_edits = count;
    }
  }
  return best;
}

std::string name_hint(std::string_view written, const std::vector<std::string_view>& known) {
  const std::string_view nearest = nearest_name(written, known);
  if (!nearest.empty()) return fmt::format("did you mean \"{}\"?", nearest);
  return fmt::format("known here: {}", fmt::join(known, ", "));
}

}  // namespace ichor
