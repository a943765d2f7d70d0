#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/cluster_profile.h"
#include "model/finding.h"
#include "profile/source.h"

namespace ichor {

/// What rules look at: a profile that was read without findings, and where its values stand.
struct LintInput {
  const ClusterProfile& profile;
  const ProfileSource& source;
};

/// One rule: a file of this folder and a line in rules.cc.
struct LintRule {
  std::string_view id;     // of the requirements: "C1"
  std::string_view title;  // what it proves
  void (*run)(const LintInput& input, std::vector<Finding>& findings);
};

std::span<const LintRule> lint_rules();

/// All findings of all rules, in the order of the file. Reads nothing but its input.
std::vector<Finding> lint(const LintInput& input);

}  // namespace ichor
