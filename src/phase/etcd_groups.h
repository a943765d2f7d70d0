#pragma once

#include <string>
#include <vector>

#include "model/node_view.h"

namespace ichor {

/// The control planes that are in one etcd cluster together, as far as their member lists tell:
/// Talos does not show etcd's cluster id, but member ids are random, so lists of one cluster
/// overlap and lists of two do not.
struct EtcdGroup {
  std::vector<const NodeView*> seen_by;
  std::vector<EtcdMember> members;  // of the longest list
};

std::vector<EtcdGroup> etcd_groups(const ClusterView& view);

/// "cp1, cp2 (learner)".
std::string to_text(const EtcdGroup& group);

}  // namespace ichor
