#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ichor::lab {

/// A body of a request: JSON, or YAML where the content type allows it.
Result<nlohmann::json> parse_body(std::string_view text);

/// What a PATCH of this content type makes of an object: application/merge-patch+json,
/// application/json-patch+json, or application/strategic-merge-patch+json, of which lists are
/// merged by the name or type of their elements. Errc::io: it is of another type; Errc::unsafe: it
/// does not fit the object.
Result<nlohmann::json> patched(const nlohmann::json& object, std::string_view content_type,
                               const nlohmann::json& patch);

}  // namespace ichor::lab
