#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/cosi/sight.h"

namespace ichor::lab {

using Resources = std::vector<Resource>;
using MakeResources = void (*)(const Sight& sight, Resources& out);

/// A type of resource: what its definition tells talosctl, and how it is made. The server itself
/// knows full types only; aliases are resolved by the client, which reads the definitions.
struct ResourceKind {
  std::string_view type;     // "MachineStatuses.runtime.talos.dev"
  std::string_view display;  // "MachineStatus"
  std::string_view space;    // default namespace
  std::string_view aliases;  // with commas between
  std::string_view columns;  // of talosctl's table: "Stage={.stage};Ready={.status.ready}"
  std::string_view owner;    // the controller that writes it
  bool sensitive;
  MakeResources make;          // nullptr: there never are any
  bool aliases_of_type{true};  // "disks", "disks.block" and "disks.block.talos" are aliases too
};

/// All kinds, sorted by type.
const std::vector<ResourceKind>& resource_kinds();
/// By full type; lower case counts as upper case. nullptr for an unknown one.
const ResourceKind* find_kind(std::string_view type);
/// Namespaces that the state knows.
bool is_space(std::string_view name);

/// Everything of one kind that the machine has now.
Resources make_all(const ResourceKind& kind, const Sight& sight);

// The makers, by subject; each file has those of one.
namespace makers {

void machine_status(const Sight&, Resources&);
void unattended_install(const Sight&, Resources&);
void machine_config(const Sight&, Resources&);
void machine_type(const Sight&, Resources&);
void version(const Sight&, Resources&);
void services(const Sight&, Resources&);
void time_status(const Sight&, Resources&);
void system_information(const Sight&, Resources&);
void processors(const Sight&, Resources&);
void memory_modules(const Sight&, Resources&);
void platform_metadata(const Sight&, Resources&);
void security_state(const Sight&, Resources&);
void extensions(const Sight&, Resources&);
void meta_keys(const Sight&, Resources&);
void kernel_cmdline(const Sight&, Resources&);

void disks(const Sight&, Resources&);
void discovered_volumes(const Sight&, Resources&);
void system_disk(const Sight&, Resources&);
void volume_status(const Sight&, Resources&);

void links(const Sight&, Resources&);
void addresses(const Sight&, Resources&);
void node_addresses(const Sight&, Resources&);
void hostname(const Sight&, Resources&);
void routes(const Sight&, Resources&);
void resolvers(const Sight&, Resources&);
void time_servers(const Sight&, Resources&);
void network_status(const Sight&, Resources&);

void etcd_member(const Sight&, Resources&);
void etcd_spec(const Sight&, Resources&);
void etcd_pki(const Sight&, Resources&);
void members(const Sight&, Resources&);
void affiliates(const Sight&, Resources&);
void cluster_info(const Sight&, Resources&);
void cluster_identity(const Sight&, Resources&);
void nodename(const Sight&, Resources&);
void node_status(const Sight&, Resources&);
void static_pod_status(const Sight&, Resources&);
void endpoints(const Sight&, Resources&);

void resource_definitions(const Sight&, Resources&);
void namespaces(const Sight&, Resources&);

}  // namespace makers

}  // namespace ichor::lab
