// What the network of a simulated world knows: who is at an address, and who is meant to be there.

#include <algorithm>

#include "sim/world.h"

namespace ichor::sim {

IpAddress SimWorld::address_of(const Node& node) const {
  const IpAddress address = node.address();
  const auto leased = leases_.find(&node);
  const bool by_dhcp = address == node.spec().dhcp_address;
  return by_dhcp && leased != leases_.end() ? leased->second : address;
}

bool SimWorld::endpoint_serves() const {
  std::string_view host = profile_.network.api_endpoint;
  const std::size_t scheme = host.find("//");
  if (scheme != host.npos) host.remove_prefix(scheme + 2);
  host = host.substr(0, host.rfind(':'));
  for (std::size_t i = 0; i < nodes_.size() && i < profile_.nodes.size(); ++i) {
    if (profile_.nodes[i].address.value() == host) return nodes_[i]->api_server_ready();
  }
  // A virtual address leads to whoever serves.
  return true;
}

bool SimWorld::api_answers() const {
  return endpoint_serves() && std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
           return node->api_server_ready();
         });
}

Port* SimWorld::port_at(const IpAddress& address) {
  for (Port& port : ports_) {
    if (port.listener != Listener::silent && address_of(*port.node) == address) return &port;
  }
  return nullptr;
}

Port& SimWorld::port_of(const Node& node) {
  return *std::find_if(ports_.begin(), ports_.end(),
                       [&](const Port& port) { return port.node == &node; });
}

const NodePlan* SimWorld::planned_at(const IpAddress& address) const {
  for (const NodePlan& node : profile_.nodes) {
    if (node.address == address || node.maintenance_address == address) return &node;
  }
  return nullptr;
}

NodeName SimWorld::config_owner(const Digest& config) const {
  const ConfigSet* const sets[] = {&configs_, &fixture_.regenerated, &fixture_.changed};
  for (const ConfigSet* set : sets) {
    for (const auto& [node, rendered] : set->nodes) {
      if (rendered.digest == config) return node;
    }
  }
  return {};
}

}  // namespace ichor::sim
