#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profile/patch_list.h"
#include "yaml/node.h"

namespace ichor {

/// A patch as rules see it: decrypted, rendered and read.
struct LintPatch {
  std::string file;
  PatchScope scope;
  /// Strategic merge documents; a JSON6902 patch is given as the mapping that its steps write.
  std::vector<yaml::Node> documents;
  bool readable{true};  // false: it is not YAML, which was reported
  /// Of a template with an empty result: the condition that was false, as it was written.
  std::string empty_because;
  std::string empty_where;
  std::vector<std::string> unknown;  // variables in that condition that are not set
};

/// A chart of the Kubernetes phases and the version of it that is asked for.
struct ChartVersion {
  std::string name;     // the last part of the chart's own name
  std::string version;  // empty: the newest
  std::string where;
};

/// What the profile leads to. Whoever calls lint() reads it; a rule that looks at something that is
/// not here has nothing to say.
struct LintMaterial {
  std::vector<LintPatch> patches;  // in the order in which they are applied
  /// Where configs are not generated from the profile alone: the kinds of their documents before
  /// patches.
  std::optional<std::set<std::string, std::less<>>> base_kinds;
  yaml::Node variables;  // of the templates: a mapping, or null
  yaml::Node schematic;  // of the Image Factory: a mapping, or null
  std::string schematic_file;
  std::vector<ChartVersion> crd_charts;   // of phase 1
  std::vector<ChartVersion> controllers;  // of phase 2
};

/// The mapping that the steps of a JSON6902 patch write: `add` and `replace` with their values, the
/// others with null. A step into a list becomes a list of one. Null if it is no such patch.
yaml::Node as_mapping(const yaml::Node& steps);

}  // namespace ichor
