#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "model/finding.h"
#include "model/journal_facts.h"
#include "model/sighting.h"

namespace ichor {

struct MatchOptions {
  /// Nodes with nothing but a name in the profile take the machines that are left, by the order of
  /// their addresses, if there are as many. Only the operator can say so.
  bool by_order{false};
};

/// One question of the match: is this machine that node?
struct MatchCell {
  NodeName node;
  IpAddress address;
  bool fits{false};
  std::string why;  // "MAC 52:54:00:16:01:01", or what speaks against it
};

/// Which machine of a scan is which node of the profile.
struct MachineMatch {
  std::map<NodeName, std::size_t> machine_of;  // by number in what was seen
  std::map<NodeName, std::string> proof;       // of those: by what
  std::vector<NodeName> missing;               // nodes that no machine fits
  std::vector<NodeName> ambiguous;             // nodes for which there is more than one answer
  /// Of every node that has no machine: how each machine compares to it.
  std::vector<MatchCell> matrix;
  std::vector<Finding> findings;

  /// Every node has its machine, and nothing speaks against it.
  bool complete() const;
  /// The node that this machine is; null: none of ours.
  const NodeName* node_of(std::size_t machine) const;
};

/// Matches by UUID, serial and the MACs of all physical links, and by what the journal bound
/// before. Machines that fit no node are left alone. Pure: the same sights give the same match.
MachineMatch match_machines(const ClusterProfile& profile, const JournalFacts& facts,
                            const std::vector<Sighting>& seen, MatchOptions options = {});

}  // namespace ichor
