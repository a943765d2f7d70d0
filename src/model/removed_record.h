#pragma once

#include <string_view>

namespace ichor {

/// Key of an `observed` record: the node was removed from its cluster, and its machine is not bound
/// to the name any more. Another machine may take the name from then on.
inline constexpr std::string_view kRemovedKey = "removed";

}  // namespace ichor
