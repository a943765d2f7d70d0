#pragma once

#include <string>
#include <vector>

#include "machineconfig/contract.h"
#include "machineconfig/generate_input.h"
#include "secrets/secrets_bundle.h"
#include "yaml/node.h"

namespace ichor {

/// The document without a kind: machine and cluster, in the order in which Talos writes its keys.
/// Fails if the version of Kubernetes is missing.
Result<yaml::Node> v1alpha1_document(const Contract& contract, const GenerateInput& input,
                                     const pki::SecretsBundle& secrets);

/// "v1.35.2"; fails if the version of Kubernetes is missing.
Result<std::string> kubernetes_tag(const GenerateInput& input);

// What `talosctl gen config` writes beside it for contracts that have documents for it.
std::vector<yaml::Node> mirror_documents(const Contract& contract, const GenerateInput& input);
std::vector<yaml::Node> kubespan_documents(const Contract& contract, const GenerateInput& input);

}  // namespace ichor
