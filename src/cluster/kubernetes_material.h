#pragma once

#include "cluster/profile_input.h"
#include "model/or_end.h"
#include "phase/kubernetes/material.h"
#include "port/host.h"

namespace ichor {

/// Which part of the material is wanted: secrets are decrypted for phase 0 only.
struct MaterialOptions {
  int first{0};
  int last{3};
};

/// Reads and decrypts what the phases of a profile need, and resolves its paths. A sealed-secrets
/// key pair that the state folder does not have yet is made. Ends with findings that name every
/// file that cannot be had; nothing has been sent by then.
OrEnd<KubernetesMaterial> load_material(const ProfileInput& input, ClusterState& state,
                                        const MaterialOptions& options, Host& host);

}  // namespace ichor
