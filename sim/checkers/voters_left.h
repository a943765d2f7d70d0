#pragma once

#include <optional>

#include "sim/checkers/checker.h"

namespace ichor::sim {

/// What would be left of an etcd without one of its voters.
struct VotersLeft {
  int up{0};
  int all{0};
  bool has_quorum() const { return up * 2 > all; }
};

/// Nothing if the node is not a voter.
inline std::optional<VotersLeft> voters_without(const Truth& truth, const Node& node) {
  const NodeDisk& disk = node.disk();
  const EtcdCluster* cluster =
      disk.etcd_cluster ? truth.fabric.find_cluster(*disk.etcd_cluster) : nullptr;
  const EtcdCluster::Member* member =
      cluster != nullptr ? cluster->find(disk.etcd_member) : nullptr;
  if (member == nullptr || member->learner) return std::nullopt;
  return VotersLeft{cluster->voters_up() - (member->up ? 1 : 0), cluster->voters()};
}

}  // namespace ichor::sim
