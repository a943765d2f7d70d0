#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lab/kube/cluster.h"

namespace ichor::lab {

/// What the API says about itself: versions, groups, resources, OpenAPI. Nothing for other paths.
std::optional<nlohmann::json> discovery_document(const std::string& path,
                                                 const KubeCluster& cluster);

}  // namespace ichor::lab
