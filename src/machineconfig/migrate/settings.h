#pragma once

#include <map>
#include <string>
#include <vector>

#include "yaml/node.h"

namespace ichor::migrate {

/// What a config says, in one form for both styles: "KubeletConfig.image" for what is only moved,
/// "link eth0 address" for what has another shape. The value is the text; it may be a secret.
using Settings = std::map<std::string, std::string>;

struct SettingsOf {
  bool patch{false};
  bool control_plane{false};
  std::string kubernetes_version;
};

/// Reads the documents of a config. For a complete config, what Talos adds by itself to the old
/// style is added here as well, from its documentation and not from what the migration writes.
Settings settings_of(const std::vector<yaml::Node>& documents, const SettingsOf& of);

/// The names of settings that differ.
std::vector<std::string> differing(const Settings& before, const Settings& after);

}  // namespace ichor::migrate
