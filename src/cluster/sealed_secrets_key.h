#pragma once

#include "model/kubernetes_plan.h"
#include "phase/kubernetes/material.h"
#include "port/host.h"

namespace ichor {

/// Adds the key pair of the sealed-secrets controller to the material: the one that the state
/// folder keeps, or a new one together with the encrypted form in which phase 0 will keep it.
Result<void> add_sealed_secrets_key(const KubernetesPlan::SealedSecrets& plan, ClusterState& state,
                                    KubernetesMaterial& material, Host& host);

}  // namespace ichor
