#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace ichor::yaml {

/// A document as Go's yaml.v3 writes it with an indent of 4: block style, list items indented below
/// their key, `{}` and `[]` when empty, strings plain where every reader takes them for strings, in
/// double quotes where one would not, in single quotes where the syntax needs them, and as a
/// literal block when they have several lines. No folding, no comments. Ends with a newline.
std::string emit(const Node& root);

/// Several documents with `---` between them.
std::string emit_all(const std::vector<Node>& roots);

}  // namespace ichor::yaml
