#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "yaml/node.h"

namespace ichor::yaml {

/// The same data as a node, in the same order. Bytes that are no UTF-8 become U+FFFD.
Node from_json(const nlohmann::ordered_json& json);

/// The same data as one document of a stream: begins with `---`, ends with a newline.
std::string document_of(const nlohmann::ordered_json& json);

}  // namespace ichor::yaml
