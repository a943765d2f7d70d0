#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lint/material.h"
#include "model/cluster_profile.h"
#include "model/finding.h"
#include "profile/source.h"

namespace ichor {

/// What rules look at: a profile that was read without findings, where its values stand, and what
/// it leads to.
struct LintInput {
  const ClusterProfile& profile;
  const ProfileSource& source;
  LintMaterial material{};
};

/// One rule: a file of this folder, a line in rules.cc and a page docs/lint/ID.md.
struct LintRule {
  std::string_view id;      // of the requirements: "C1"
  std::string_view prefix;  // its findings are called "prefix.something"
  std::string_view title;   // what it proves
  std::string_view reason;  // what happens to a cluster that breaks it
  void (*run)(const LintInput& input, std::vector<Finding>& findings);

  /// "docs/lint/C1.md".
  std::string page() const;
};

std::span<const LintRule> lint_rules();

/// The rule whose findings are called so; nullptr for those of the readers, "profile.something".
const LintRule* rule_of(std::string_view finding_id);

/// All findings of all rules with reason and page, sorted by file, line and column, each once.
/// Reads nothing but its input.
std::vector<Finding> lint(const LintInput& input);

/// Adds reason and page to findings that came from elsewhere, and brings them into the same order.
void settle(std::vector<Finding>& findings);

}  // namespace ichor
