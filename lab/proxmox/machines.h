#pragma once

#include <string>
#include <vector>

#include "lab/proxmox/state.h"
#include "lab/records.h"
#include "sim/node/spec.h"

namespace ichor::lab {

/// The value of `key` in "virtio=BC:24:…,bridge=vmbr0"; empty if it is not there.
std::string option_of(const std::string& options, const std::string& key);

/// "bc:24:11:00:00:01" of net0; empty if there is no card.
std::string mac_of(const PveVm& vm);

/// Disks of the machine in GiB, scsi0 first.
std::vector<std::int64_t> disks_of(const PveVm& vm);

/// The machine that boots of this config, at this address.
MachineRecord machine_of(const PveVm& vm, const std::string& name, const std::string& address,
                         sim::Personality personality);

/// Addresses of the network that no node of the profile has, for machines that ask by DHCP.
std::vector<std::string> dhcp_pool(const std::string& network,
                                   const std::vector<std::string>& taken);

}  // namespace ichor::lab
