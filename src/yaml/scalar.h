#pragma once

#include <string_view>

#include "yaml/node.h"

namespace ichor::yaml {

/// What an unquoted text is by the core schema of YAML 1.2.
ScalarType resolve_core(std::string_view text);

/// Whether Go's yaml.v3 or a YAML 1.1 reader would take the unquoted text for something else than a
/// string: a boolean such as `yes`, a number in any notation, base 60, a date, null or a merge key.
/// The emitter quotes such strings, so that every reader agrees.
bool resolves_elsewhere(std::string_view text);

}  // namespace ichor::yaml
