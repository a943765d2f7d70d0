#pragma once

#include <vector>

#include "model/cluster_profile.h"
#include "model/finding.h"
#include "model/node_view.h"

namespace ichor {

/// What is wrong with etcd, or will be, by one look at all control planes: members that do not
/// agree, learners, alarms, members that lag or are unknown, databases that are full. Pure.
std::vector<Finding> etcd_findings(const ClusterProfile& profile, const ClusterView& view);

/// Which member a snapshot is taken from: a voter that is not behind, has no CORRUPT alarm and,
/// where there is a choice, does not lead. Null if there is none.
const NodeView* snapshot_source(const ClusterView& view);

/// Whether etcd raised CORRUPT for the member of this node.
bool is_corrupt_member(const NodeView& node);

}  // namespace ichor
