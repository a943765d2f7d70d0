#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "machineconfig/contract.h"
#include "model/cluster_profile.h"
#include "yaml/node.h"

namespace ichor {

/// The node's network as documents of their own (contract 1.12 and later): HostnameConfig,
/// LinkAliasConfig, LinkConfig or VLANConfig, Layer2VIPConfig, ResolverConfig, TimeSyncConfig, as
/// far as they are needed. A contract with typed documents says the nameservers beside
/// the DNS of the host.
Result<std::vector<yaml::Node>> network_documents(const Contract& contract,
                                                  const ClusterProfile& profile,
                                                  const NodePlan& node);

/// The same as machine.network of earlier contracts.
Result<yaml::Node> machine_network(const ClusterProfile& profile, const NodePlan& node);

/// machine.time of earlier contracts; nothing without time servers.
std::optional<yaml::Node> machine_time(const ClusterProfile& profile);

}  // namespace ichor
