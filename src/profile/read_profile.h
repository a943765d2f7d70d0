#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_profile.h"
#include "model/finding.h"
#include "model/machine_spec.h"
#include "profile/mapping_reader.h"
#include "profile/recipe.h"
#include "profile/source.h"
#include "yaml/node.h"

namespace ichor {

/// What was made of a profile's text. With errors the profile holds what could be read and must not
/// be acted upon.
struct ProfileReading {
  ClusterProfile profile;
  ProfileSource source;
  std::optional<ClusterRecipe> recipe{};  // of formats that say how configs are made
  yaml::Node variables;                   // of the templates: a mapping, or null
  /// talos.ready_configs: a folder of configs that are sent as they are, instead of generated ones.
  std::string ready_configs{};
  std::optional<ProviderPlan> provider{};  // where its machines are made, if a profile says so
  std::string scan{};             // network.scan: where machines are looked for besides node_cidr
  std::vector<Finding> findings;  // in the order of the file

  bool ok() const {
    return std::none_of(findings.begin(), findings.end(),
                        [](const Finding& finding) { return finding.severity == Severity::error; });
  }
};

/// Reads ichor.yaml. Keys are strict, every value is checked by itself, and all findings come at
/// once, each with file:line:column. How values fit together is for src/lint.
ProfileReading read_profile(std::string_view text, const std::string& file_name);

/// Every key that read_profile() knows, in the order in which it asks for them.
std::vector<KeyNote> profile_keys();

}  // namespace ichor
