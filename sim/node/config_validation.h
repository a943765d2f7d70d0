#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "sim/node/config_loader.h"
#include "sim/node/spec.h"

namespace ichor::sim {

/// What Talos' validation says about a config that it could read.
struct ConfigFindings {
  std::string error;  // empty: fine; else the text of a Go multierror
  std::vector<std::string> warnings;
};

/// What can be said from the config alone. Install instructions are asked for only where the node
/// still has to install itself.
ConfigFindings validate_config(const LoadedConfig& config, Platform platform, bool must_install);

/// What can only be said on the node: whether a disk matches, whether this Talos can run that
/// Kubernetes.
ConfigFindings validate_on_node(const LoadedConfig& config, const NodeSpec& node,
                                bool must_install);

/// The role that machine.type means; nullopt for one that Talos does not know.
std::optional<Role> role_of(const yaml::Node& machine);

}  // namespace ichor::sim
