#pragma once

#include <vector>

#include "phase/provision.h"

namespace ichor {

/// What an operator asked to do with machines that exist.
enum class VmAction { start, stop, destroy };

struct VmSelection {
  std::vector<VmSeen> vms;        // in the order of their numbers
  std::vector<Finding> findings;  // an error: nothing is done at all
};

/// Machines with our tag whose number and name are those of a node of the profile, or that this
/// journal says ichor created; with `destroy` also those that an earlier run was removing. Of the
/// named nodes only, if some are named. The tag is not enough, because Proxmox copies it to clones
/// and templates: what else has it is a warning, and is left alone.
VmSelection select_machines(const ClusterProfile& profile, VmAction action,
                            const ProvisionSight& sight, const ProvisionFacts& facts,
                            const std::vector<NodeName>& nodes);

/// Pure: what is left to do for a machine that was selected before. A machine without our tag is
/// not asked for here: whoever acts reads the tag once more.
ProvisionStep next_change(const VmPlace& place, VmAction action, const ProvisionSight& sight,
                          const ProvisionFacts& facts, std::int64_t wall_ms);

}  // namespace ichor
