#include "lint/rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "lint/c1_network.h"

namespace ichor {

namespace {

constexpr std::array kRules = {
    LintRule{"C1", "the addresses of the profile fit together", lint_network},
};

/// Line and column at the end of "file:line:column"; zeros where there are none.
std::pair<int, int> position_of(const std::string& where) {
  const std::size_t last = where.rfind(':');
  const std::size_t before =
      last == std::string::npos || last == 0 ? last : where.rfind(':', last - 1);
  if (last == std::string::npos || before == std::string::npos) return {0, 0};
  const auto number = [&](std::size_t from) {
    int value = 0;
    std::from_chars(where.data() + from, where.data() + where.size(), value);
    return value;
  };
  return {number(before + 1), number(last + 1)};
}

}  // namespace

std::span<const LintRule> lint_rules() { return kRules; }

std::vector<Finding> lint(const LintInput& input) {
  std::vector<Finding> findings;
  for (const LintRule& rule : kRules) rule.run(input, findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return position_of(a.where) < position_of(b.where);
  });
  return findings;
}

}  // namespace ichor
