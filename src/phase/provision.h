#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "model/finding.h"
#include "model/machine_spec.h"
#include "phase/provision_facts.h"

namespace ichor {

/// The tag by which a machine is ours: "ichor-CLUSTER". Nothing without it is ever changed.
std::string tag_of(const ClusterProfile& profile);
bool is_ours(const VmSeen& vm, const ClusterProfile& profile);

/// The machines that the profile asks for, in its order. Addresses of the network and the UUID come
/// from the cluster's and the node's name where the profile has none, so that every run asks for
/// the same machine.
std::vector<VmSpec> machines_for(const ClusterProfile& profile, const ProviderPlan& plan);

/// The MACs and UUIDs of machines_for() in the nodes' plans: they tell which machine is which node.
void bind_machines(ClusterProfile& profile, const ProviderPlan& plan);

/// What a token needs, by path: for what this profile does on this release.
struct PrivilegeNeed {
  std::string path;
  std::string privilege;
  std::string what_for;
};
std::vector<PrivilegeNeed> privileges_for(const std::vector<VmSpec>& specs,
                                          const ProviderVersion& version);

/// One finding for each path on which something is missing.
std::vector<Finding> missing_privileges(const std::vector<PrivilegeNeed>& needs,
                                        const std::map<std::string, Privileges>& has);

/// What was seen at the provider in one look.
struct ProvisionSight {
  std::vector<VmSeen> vms;  // with the configs of those that matter
  /// Of machines with an open attempt that has no task in the journal: the provider's tasks.
  std::map<VmId, std::vector<ProviderTask>> tasks;
};

/// What follows for one machine.
struct ProvisionStep {
  enum class Kind {
    create,
    start,
    follow,  // a task that was started; `task`
    settle,  // look again: the last call may still have its effect
    running,
  };
  Kind kind{Kind::running};
  VmDeed deed{VmDeed::create};  // with follow and settle
  ProviderTaskId task;
  std::string why;
};

struct ProvisionDecision {
  std::map<NodeName, ProvisionStep> steps;
  std::vector<Finding> findings;  // with an error nothing is done at all

  bool refused() const;
};

/// Pure: from the profile, what was seen and what the journal remembers to what follows. A machine
/// is adopted by its tag; a number that something else has is an error, and so are two machines
/// with one MAC.
ProvisionDecision decide_provision(const ClusterProfile& profile, const std::vector<VmSpec>& specs,
                                   const ProvisionSight& sight, const ProvisionFacts& facts,
                                   std::int64_t wall_ms);

/// What an operator asked to do with machines that exist.
enum class VmWish { start, stop, destroy };

struct VmSelection {
  std::vector<VmSeen> vms;  // ours, in the order of their numbers
  std::vector<Finding> findings;
};

/// Ours among them; of the named nodes only, if some are named.
VmSelection select_machines(const ClusterProfile& profile, const std::vector<VmSeen>& vms,
                            const std::vector<NodeName>& nodes);

}  // namespace ichor
