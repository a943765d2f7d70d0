#pragma once

#include "cluster/profile_input.h"
#include "cluster/workspace.h"
#include "model/or_end.h"
#include "port/host.h"
#include "run/run_target.h"
#include "run/run_turn.h"

namespace ichor {

/// Deletes the Node object of a machine that left the cluster, as a part of a run.
/// The object must be of the machine that the journal bound to the name, where both say which one
/// it is. True if there was one; false if none was left.
OrEnd<bool> delete_node(const ProfileInput& input, const RunTarget& target, Workspace& space,
                        const RunTurn& turn, const NodeName& node, Host& host);

}  // namespace ichor
