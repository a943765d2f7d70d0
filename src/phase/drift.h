#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "model/journal_facts.h"
#include "model/kube_object.h"
#include "model/live_node.h"

namespace ichor {

/// One thing that is not as the profile says. No value in it is a secret.
struct Drift {
  NodeName node;
  std::string what;  // "machine.sysctls.vm.swappiness", "Talos version", "label rack"
  std::string wanted;
  std::string live;
  /// Where the difference comes from, by what was applied last: "profile" was edited since, or
  /// "node" was changed outside ichor; empty where the journal does not say.
  std::string changed{};
  bool is_config{false};  // a fix applies the machine config
  bool downgrade{false};  // the profile asks for an older version than what runs
};

/// What the profile leads to, what was applied last, and what runs on one node. Only nodes that
/// were seen with their config can be compared; Errc::invalid if a config cannot be read.
Result<std::vector<Drift>> find_drift(const ClusterProfile& profile, const ConfigSet& configs,
                                      const JournalFacts& facts, const LiveNode& node);

/// The same for what Kubernetes says of a node: its Node object.
std::vector<Drift> find_node_drift(const ClusterProfile& profile, const NodePlan& plan,
                                   const KubeObject& object);

}  // namespace ichor
