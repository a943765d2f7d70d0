#pragma once

#include <map>
#include <optional>
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

/// The MACs of machines_for() in the nodes' plans: they tell which machine is which node. UUIDs of
/// the plans stay as they are: without one in the profile, a machine is known by its MAC alone.
void bind_machines(ClusterProfile& profile, const ProviderPlan& plan);

/// What a command does with machines. Each of them needs the privileges of those before it.
enum class ProviderUse { list, power, destroy, make };

/// What a token needs, by path. A machine that is made in a pool inherits what is granted there.
struct PrivilegeNeed {
  std::string path;
  std::string privilege;
  std::string what_for;
  std::string or_path;   // where it may be granted instead; empty: nowhere else
  bool optional{false};  // without it something is slower, and nothing is missing
};
/// `known`: the privileges that this release has. What it does not know cannot be granted there,
/// and is not asked for.
std::vector<PrivilegeNeed> privileges_for(const std::vector<VmSpec>& specs, ProviderUse use,
                                          const Privileges& known);

/// One finding for each path on which something is missing.
std::vector<Finding> missing_privileges(const std::vector<PrivilegeNeed>& needs,
                                        const std::map<std::string, Privileges>& has);

/// What was seen at the provider in one look.
struct ProvisionSight {
  std::vector<VmSeen> vms;  // with their configs, where the token may read them
  /// Of machines with an open attempt that has no task in the journal: the provider's tasks.
  std::map<VmId, std::vector<ProviderTask>> tasks;

  /// Null if there is no machine with this number.
  const VmSeen* find(VmId id) const;
};

/// What follows for one machine.
struct ProvisionStep {
  enum class Kind {
    create,
    start,
    stop,
    destroy,
    follow,  // a task that was started; `task`
    settle,  // look again: the last call may still have its effect
    gone,    // the machine was removed, and the journal does not say so yet
    made,    // the machine was created, and the journal does not say so yet
    ready,   // nothing is left to do
  };
  Kind kind{Kind::ready};
  VmDeed deed{VmDeed::create};  // with follow and settle
  ProviderTaskId task{};
  std::string why{};
};

/// What is left of earlier attempts: a task to follow, an effect to wait for, or one to write down.
/// Nothing if the machine may be judged by what was seen of it.
std::optional<ProvisionStep> unfinished_step(const VmPlace& place, const ProvisionSight& sight,
                                             const ProvisionFacts& facts, std::int64_t wall_ms);

struct ProvisionDecision {
  std::map<NodeName, ProvisionStep> steps;
  std::vector<Finding> findings;  // errors: with one of them nothing is done at all
};

/// Pure: from the profile, what was seen and what the journal remembers to what follows. A machine
/// is adopted by its tag; a number that something else has is an error, and so are two machines
/// with one MAC.
ProvisionDecision decide_provision(const ClusterProfile& profile, const std::vector<VmSpec>& specs,
                                   const ProvisionSight& sight, const ProvisionFacts& facts,
                                   std::int64_t wall_ms);

}  // namespace ichor
