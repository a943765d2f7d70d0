#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "yaml/node.h"

namespace ichor {

/// SHA-256 of a machine config's meaning: key order, order of documents, comments, quoting, aliases
/// and number notation do not change it, every value does. A node's read-back has the digest of
/// what was sent to it.
Digest canonical_digest(const std::vector<yaml::Node>& documents);
Result<Digest> canonical_digest(std::string_view text);

}  // namespace ichor
