#pragma once

#include "machineconfig/contract.h"
#include "model/cluster_profile.h"
#include "pki/secrets_bundle.h"
#include "yaml/node.h"

namespace ichor {

/// The document without a kind: machine and cluster, in the order in which Talos writes its keys.
/// For contracts without network documents it carries the node's network as well.
Result<yaml::Node> v1alpha1_document(const Contract& contract, const ClusterProfile& profile,
                                     const pki::SecretsBundle& secrets, const NodePlan& node);

}  // namespace ichor
