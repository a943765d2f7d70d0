#pragma once

#include <vector>

#include "yaml/node.h"

namespace ichor {

/// The documents that talhelper writes for `networkInterfaces` since Talos 1.12: aliases for
/// selected devices and members of bonds, bonds, DHCP, VIPs, links, VLANs, WireGuard and bridges.
/// Values are taken over as they are written; whoever reads the documents by Talos' schema finds
/// what is wrong with them.
std::vector<yaml::Node> link_documents(const yaml::Node& interfaces);

}  // namespace ichor
