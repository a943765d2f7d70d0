#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "yaml/document.h"

namespace ichor::yaml {

/// What must be found wrong with a text before libfyaml sees it: it takes NUL for an end, and it
/// reads a flow collection that could be a key, a row of anchors and the directives to their end
/// before it gives the first event, at 400 bytes for each token (4 MiB of `[` cost it 1.3 GiB).
std::optional<SyntaxError> find_unreadable(std::string_view text, const std::string& file_name,
                                           const Limits& limits);

}  // namespace ichor::yaml
