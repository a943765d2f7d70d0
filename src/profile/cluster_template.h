#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/mapping_reader.h"
#include "profile/read_profile.h"
#include "profile/reader_inputs.h"

namespace ichor {

/// What cluster-template's two formats have in common.

/// What the formats say of a cluster and a profile cannot hold. It becomes patches of the nodes.
struct TemplateExtras {
  struct OfNode {
    NodeName node;
    std::optional<std::int64_t> mtu;
    bool encrypt_disk{false};
    std::vector<std::string> kernel_modules;
  };
  std::vector<OfNode> nodes;
  std::vector<std::string> api_sans;
};

/// A node: name, address, controller, disk (a path or a serial number), mac_addr, and more.
void read_template_nodes(MappingReader& reader, ClusterProfile& profile, TemplateExtras& extras);

/// Writes the patches. The profile must know its version.
void add_template_patches(const TemplateExtras& extras, ClusterProfile& profile);

/// The API's address is the VIP, Cilium is the CNI, and control planes take pods.
void settle_template(const std::string& api_address, ClusterProfile& profile);

/// The versions, which neither format has: from talos/talenv.yaml or talos/topf.yaml beside it.
/// Reports if nothing tells the version of Talos.
void read_template_versions(const ReaderInputs& inputs, ReadingLog& log, ClusterProfile& profile);

}  // namespace ichor
