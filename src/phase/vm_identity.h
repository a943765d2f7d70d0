#pragma once

#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "model/finding.h"
#include "model/journal_facts.h"
#include "phase/provision.h"

namespace ichor {

/// The MACs of a VM's network cards, in lower case: "virtio=BC:24:11:00:00:01,bridge=vmbr0".
std::vector<std::string> macs_of(const VmConfig& config);

/// The MAC that a node's VM gets if the profile has none: below the prefix that Proxmox itself
/// uses.
MacAddress derived_mac(const ClusterProfile& profile, const NodeName& node);

/// Whether a look at the node's VM says more than profile and journal: no machine is bound to it.
bool is_unbound(const NodePlan& plan, const JournalFacts& facts);

/// Where a node's MAC is a derived one, what is known of its machine replaces it: the journal's
/// word on a node that is bound, else MAC and UUID of the VM that has the node's number and name
/// and no tag of another cluster. What the profile says stays. An error for each node whose config
/// would name the derived MAC although its VM has another.
std::vector<Finding> bind_to_vms(ClusterProfile& profile, const ProvisionSight& sight,
                                 const JournalFacts& facts);

}  // namespace ichor
