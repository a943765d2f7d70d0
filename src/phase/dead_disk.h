#pragma once

#include <optional>

#include "model/decision.h"
#include "model/node_view.h"

namespace ichor {

/// D11: the disk that the node runs from fails every write. Only another disk fixes that;
/// nullopt where the disks were not read or are well.
std::optional<Stop> decide_dead_disk(const NodeView& view);

}  // namespace ichor
