#pragma once

#include <string>
#include <vector>

#include "machineconfig/contract.h"
#include "machineconfig/generate_input.h"
#include "secrets/secrets_bundle.h"
#include "yaml/node.h"

namespace ichor {

// What contracts with typed documents write instead of most of `machine` and `cluster`, in the
// order in which Talos writes it.

/// Discovery, installation, DNS of the host, volumes and the security profile.
std::vector<yaml::Node> machine_documents(const GenerateInput& input,
                                          const pki::SecretsBundle& secrets);

/// Kubernetes: the parts of every node, and those of a control plane. `kubernetes` is "v1.37.0".
std::vector<yaml::Node> kubernetes_documents(const GenerateInput& input,
                                             const pki::SecretsBundle& secrets,
                                             const std::string& kubernetes);

}  // namespace ichor
