#pragma once

#include "cluster/profile_input.h"
#include "cluster/workspace.h"
#include "port/host.h"
#include "run/run_target.h"

namespace ichor {

/// Before machines are looked for: what the profile's provider says of the VMs of nodes that the
/// journal does not bind to a machine yet. MAC and UUID go to the nodes' plans (bind_to_vms()), the
/// addresses that guest agents tell to the finder, as places to look at first. A provider that
/// cannot be asked is a warning among the findings of the workspace. On a lab with a Proxmox API
/// the finder looks where its machines boot.
OrEnd<void> learn_vms(ProfileInput& input, const RunTarget& target, Workspace& space, Host& host);

}  // namespace ichor
