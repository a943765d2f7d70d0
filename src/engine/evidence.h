#pragma once

#include <string>

#include "engine/node_link.h"

namespace ichor {

/// What a node that does not come along says about itself: services that are not well, its last
/// events and its last kernel lines, in one text. What it does not serve is named as such; a node
/// without a session says nothing.
Task<std::string> gather_evidence(Context context, NodeLink& link, Duration call_limit);

}  // namespace ichor
