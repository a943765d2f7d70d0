#pragma once

#include <optional>
#include <vector>

#include "model/cluster_profile.h"
#include "model/machine_spec.h"
#include "profile/mapping_reader.h"

namespace ichor {

/// The keys of `providers.proxmox` by which virtual machines are made. Nothing without `url`: then
/// the section only describes machines that others made.
std::optional<ProviderPlan> read_provider(MappingReader& proxmox);

/// Every node gets a number: its own, or counted from `first_vmid` in the order of the profile.
void give_numbers(MappingReader& proxmox, const ProviderPlan& plan, std::vector<NodePlan>& nodes);

}  // namespace ichor
