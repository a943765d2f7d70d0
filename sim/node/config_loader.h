#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/node/spec.h"
#include "yaml/node.h"

namespace ichor::sim {

/// One document of a machine config. The one without kind, with `machine` and `cluster`, has the
/// kind "v1alpha1".
struct ConfigDocument {
  std::string kind;
  std::string name;
  yaml::Node root;
};

struct LoadedConfig {
  std::vector<ConfigDocument> documents;

  /// The root of the v1alpha1 document; nullptr without one.
  const yaml::Node* v1alpha1() const;
};

/// Reads a config as Talos' loader does: known kinds, known keys, no document twice. The error is
/// its text.
tl::expected<LoadedConfig, std::string> load_config(std::string_view text, Personality personality);

}  // namespace ichor::sim
