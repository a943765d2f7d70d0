#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ichor::lab {

/// What the API says about itself: versions, groups, resources, OpenAPI. Nothing for other paths.
std::optional<nlohmann::json> discovery_document(const std::string& path,
                                                 const std::string& kubernetes_version);

}  // namespace ichor::lab
