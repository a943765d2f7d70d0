#pragma once

#include <vector>

#include "model/cluster_profile.h"
#include "model/finding.h"
#include "model/machine_spec.h"

namespace ichor {

/// C7 on a machine that exists: its config at Proxmox instead of what the profile says about it.
/// The same findings, and their place is the machine. A machine without a config is not judged.
void lint_machine(const VmSeen& vm, const ClusterProfile& profile, std::vector<Finding>& findings);

/// Whether the config has the guest agent on.
bool has_agent(const VmConfig& config);

}  // namespace ichor
