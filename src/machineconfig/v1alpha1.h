#pragma once

#include "machineconfig/contract.h"
#include "machineconfig/generate_input.h"
#include "pki/secrets_bundle.h"
#include "yaml/node.h"

namespace ichor {

/// The document without a kind: machine and cluster, in the order in which Talos writes its keys.
/// Fails if the version of Kubernetes is not told.
Result<yaml::Node> v1alpha1_document(const Contract& contract, const GenerateInput& input,
                                     const pki::SecretsBundle& secrets);

/// What `talosctl gen config` writes beside it for contracts that have documents for it: mirrors of
/// registries, and KubeSpan.
std::vector<yaml::Node> cluster_documents(const Contract& contract, const GenerateInput& input);

}  // namespace ichor
