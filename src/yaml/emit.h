#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yaml/node.h"

namespace ichor::yaml {

/// A document as Go's yaml.v3 writes it with an indent of 4: block style, list items indented below
/// their key, `{}` and `[]` when empty, strings plain where every reader takes them for strings, in
/// double quotes where one would not, in single quotes where the syntax needs them, and as a
/// literal block when they have several lines. No folding, no comments. Ends with a newline.
std::string emit(const Node& root);

/// What stands around a node in the text and is not part of it. Comments are given without their #.
struct Remarks {
  std::vector<std::string> above;
  std::string beside;  // of a scalar only
  std::vector<std::string> below;
  bool verbatim{false};  // the text of the scalar is written as it is: a timestamp
};

/// Those of a key count for its entry. The tree must not be copied between.
using RemarkMap = std::unordered_map<const Node*, Remarks>;

/// The same as emit(root), with the remarks.
std::string emit(const Node& root, const RemarkMap& remarks);

/// The same as emit(root), with a flaw of Go's library: it says of every literal block that begins
/// with a blank that it is indented by 4, which is wrong in lists, where no parser can read it
/// back. For hashes that must agree with those of a Go program.
std::string emit_as_go(const Node& root);

/// A string in double quotes in which all but printable ASCII is escaped: for texts that could
/// mislead whoever reads them on a terminal, and that must still arrive as they are.
std::string ascii_scalar(std::string_view text);

/// Several documents with `---` between them.
std::string emit_all(const std::vector<Node>& roots);

}  // namespace ichor::yaml
