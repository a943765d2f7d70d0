#pragma once

#include <vector>

#include "base/result.h"
#include "machineconfig/contract.h"
#include "machineconfig/generate_input.h"
#include "secrets/secrets_bundle.h"
#include "yaml/node.h"

namespace ichor {

/// What `talosctl gen config` writes for a role, without comments: the v1alpha1 document, mirrors,
/// the hostname left to Talos, and KubeSpan.
Result<std::vector<yaml::Node>> role_documents(const Contract& contract, const GenerateInput& input,
                                               const pki::SecretsBundle& secrets);

/// The empty lists and mappings that appear when documentation or examples are asked for.
void add_documented_empties(const Contract& contract, Role role, yaml::Node& main);

}  // namespace ichor
