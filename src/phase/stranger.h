#pragma once

#include "model/cluster_profile.h"
#include "model/finding.h"
#include "model/node_view.h"

namespace ichor {

/// Another machine answers at a node's address than the profile says: which one it is, by the MAC
/// addresses, UUID and serial of the profile, and what to write or type if two nodes are mixed up.
/// The view must have an identity.
Finding stranger_finding(const ClusterProfile& profile, const NodePlan& plan, const NodeView& view);

}  // namespace ichor
