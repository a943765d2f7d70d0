#pragma once

#include <string_view>
#include <vector>

#include "model/node.h"

namespace ichor::sim {

/// The first disk in the order of ids for which provisioning.diskSelector.match holds, as Talos
/// 1.14 chooses where it installs itself; nullptr if there is none. Of the expression language this
/// knows what disk selectors are written in: comparisons of the fields of `disk`, glob(), units of
/// sizes, `&&`, `||`, `!` and parentheses. Any other expression matches nothing.
const Disk* match_disk(std::string_view expression, const std::vector<Disk>& disks);

}  // namespace ichor::sim
