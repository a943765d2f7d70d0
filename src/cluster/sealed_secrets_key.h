#pragma once

#include "model/kubernetes_plan.h"
#include "phase/kubernetes/material.h"
#include "port/desk.h"

namespace ichor {

/// Adds the key pair of the sealed-secrets controller to the material: the one that the state
/// folder keeps, or a new one together with the encrypted form in which phase 0 will keep it.
Result<void> add_sealed_secrets_key(const KubernetesPlan::SealedSecrets& plan, StateDir& state,
                                    KubernetesMaterial& material, Desk& desk);

}  // namespace ichor
