#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "machineconfig/profile_patches.h"
#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "secrets/secrets_bundle.h"
#include "yaml/node.h"

namespace ichor {

/// The documents of one node's machine config: what `talosctl gen config` writes for its role and
/// the profile's contract, plus hostname, addresses, route, VIP, resolvers and time servers of this
/// node, and then the patches. Pure: the same inputs give the same tree. Fails for an unknown
/// contract, for a patch that cannot be applied, and for what would be wrong silently, such as a
/// node to be moved to another address when its link is not known.
Result<std::vector<yaml::Node>> generate_documents(const ClusterProfile& profile,
                                                   const pki::SecretsBundle& secrets,
                                                   const NodePlan& node,
                                                   const std::vector<Patch>& patches = {});

/// Applies a profile's patches to the documents that were generated for a node. Where those are
/// typed, sections of a patch in the old form are converted first, as typed_patch() does.
Result<PatchedConfig> apply_to(const ClusterProfile& profile, std::vector<yaml::Node> documents,
                               const std::vector<Patch>& patches);

/// The same as the bytes that are sent, with their digests.
Result<MachineConfig> generate(const ClusterProfile& profile, const pki::SecretsBundle& secrets,
                               const NodePlan& node, const std::vector<Patch>& patches = {});

/// Documents as the bytes that are sent, with their digests. The documents are wiped.
MachineConfig seal(std::vector<yaml::Node> documents, Role role);

/// Puts the fingerprint of the secrets, the contract and the digest of the plan on a set that has a
/// config for each node of the profile.
void stamp(const ClusterProfile& profile, const pki::SecretsBundle& secrets, ConfigSet& set);

/// The configs of all nodes. The error names the node.
Result<ConfigSet> generate_all(const ClusterProfile& profile, const pki::SecretsBundle& secrets,
                               const ProfilePatches& patches = {});

/// Over what an operator decides per node and what comes of it. Limits and budgets are left out:
/// changing them between two runs changes no node.
Digest plan_digest(const ClusterProfile& profile, const ConfigSet& set);

}  // namespace ichor
