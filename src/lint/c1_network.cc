#include "lint/c1_network.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>

#include "base/ip.h"

namespace ichor {

namespace {

/// Of "https://host:port", without the brackets of IPv6.
std::string host_of(std::string_view endpoint) {
  endpoint.remove_prefix(std::min(endpoint.size(), std::string_view("https://").size()));
  const std::size_t colon = endpoint.rfind(':');
  std::string_view host = endpoint.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return std::string(host);
}

class NetworkRule {
 public:
  NetworkRule(const LintInput& input, std::vector<Finding>& findings)
      : profile_(input.profile), source_(input.source), findings_(findings) {
    std::map<Role, std::size_t> counts;
    for (const NodePlan& node : profile_.nodes) {
      const bool control_plane = node.role == Role::control_plane;
      paths_.push_back(
          assignment_path(control_plane ? "controlplane" : "worker", counts[node.role]++));
    }
  }

  void run() {
    check_networks();
    check_gateway_and_vip();
    check_endpoint();
    check_nodes();
    check_duplicates();
    check_borrowed_addresses();
    check_links();
    check_placeholders();
  }

 private:
  void report(Severity severity, std::string id, const std::string& path, const NodeName& node,
              std::string what, std::string fix) {
    findings_.push_back(
        {severity, std::move(id), node, source_.where(path), std::move(what), std::move(fix)});
  }
  void error(std::string id, const std::string& path, std::string what, std::string fix,
             const NodeName& node = {}) {
    report(Severity::error, std::move(id), path, node, std::move(what), std::move(fix));
  }

  /// The values that `ichor init` writes are there to be replaced.
  void check_placeholders() {
    if (profile_.name != "mycluster") return;
    std::vector<std::string> macs;
    for (const NodePlan& node : profile_.nodes) {
      if (node.mac.value().starts_with("52:54:00:16:01:")) macs.push_back(node.mac.value());
    }
    report(
        Severity::warning, "network.placeholder", "name", {},
        fmt::format("the profile still has values that `ichor init` wrote: the name mycluster{}{}",
                    macs.empty() ? "" : ", and the MAC addresses ", fmt::join(macs, ", ")),
        "write the name of your cluster, and the MAC addresses, addresses and disks of your "
        "machines");
  }

  std::optional<Cidr> node_network() const { return parse_cidr(profile_.network.node_cidr); }

  void check_networks();
  void check_inside(const std::string& path, const std::string& name, const std::string& address,
                    const NodeName& node = {});
  void check_gateway_and_vip();
  void check_endpoint();
  void check_nodes();
  void check_node_address(const std::string& path, const std::string& text, const NodeName& node);
  void check_duplicates();
  void check_borrowed_addresses();
  void check_links();

  template <class Key>
  void find_twice(std::string_view key, Key key_of);

  const ClusterProfile& profile_;
  const ProfileSource& source_;
  std::vector<Finding>& findings_;
  std::vector<std::string> paths_;  // of profile_.nodes
};

void NetworkRule::check_networks() {
  struct Named {
    std::string key;
    const std::string& text;
  };
  const NetworkPlan& network = profile_.network;
  const std::vector<Named> all = {{"network.node_cidr", network.node_cidr},
                                  {"network.pod_cidr", network.pod_cidr},
                                  {"network.service_cidr", network.service_cidr}};
  std::vector<std::pair<Named, Cidr>> known;
  for (const Named& named : all) {
    const auto cidr = parse_cidr(named.text);
    if (!cidr) continue;
    if (first_of(*cidr) != cidr->address) {
      const Cidr start{first_of(*cidr), cidr->length};
      error("network.cidr", named.key,
            fmt::format("{} is {}, which is an address in the network and not the network",
                        named.key, named.text),
            fmt::format("write {}", to_text(start)));
    }
    for (const auto& [other, other_cidr] : known) {
      if (!overlap(*cidr, other_cidr)) continue;
      error("network.overlap", named.key,
            fmt::format("{} {} overlaps {} {}: traffic to one would go to the other", named.key,
                        named.text, other.key, other.text),
            "choose networks that have no address in common");
    }
    known.emplace_back(named, *cidr);
  }
}

void NetworkRule::check_inside(const std::string& path, const std::string& name,
                               const std::string& address, const NodeName& node) {
  const auto network = node_network();
  const auto ip = parse_ip(address);
  if (!network || !ip || contains(*network, *ip)) return;
  error("network.outside", path,
        fmt::format("{} {} is not in node_cidr {}", name, address, profile_.network.node_cidr),
        fmt::format("take an address from {} to {}, or correct node_cidr",
                    to_text(first_of(*network)), to_text(last_of(*network))),
        node);
}

void NetworkRule::check_gateway_and_vip() {
  const NetworkPlan& network = profile_.network;
  check_inside("network.gateway", "the gateway", network.gateway);
  check_inside("talos.vip.ip", "the VIP", network.vip);
  if (network.vip.empty()) return;
  if (network.vip == network.gateway) {
    error("network.vip", "talos.vip.ip", fmt::format("the VIP {} is the gateway", network.vip),
          "use an address that is free");
  }
  for (const NodePlan& node : profile_.nodes) {
    if (network.vip != node.address.value() && network.vip != node.maintenance_address.value()) {
      continue;
    }
    error("network.vip", "talos.vip.ip",
          fmt::format("the VIP {} is the address of {}: two machines would answer", network.vip,
                      node.name.value()),
          "use an address that is free");
  }
}

void NetworkRule::check_endpoint() {
  const NetworkPlan& network = profile_.network;
  const std::string host = host_of(network.api_endpoint);
  const std::string path = "network.api_endpoint";
  for (const NodePlan& node : profile_.nodes) {
    if (node.address.value() != host) continue;
    if (node.role == Role::worker) {
      error("network.endpoint", path,
            fmt::format("the API endpoint is {}, which is a worker", node.name.value()),
            "take the VIP, a load balancer or a control plane");
    } else if (profile_.control_plane_count() > 1) {
      report(Severity::warning, "network.endpoint", path, {},
             fmt::format("the API endpoint is {}: when it is down, the API is down too",
                         node.name.value()),
             "take the VIP or a load balancer");
    }
  }
  if (!network.vip.empty() && parse_ip(host) && host != network.vip) {
    report(Severity::warning, "network.endpoint", path, {},
           fmt::format("the API endpoint is {} and not the VIP {}", host, network.vip),
           "take the VIP, or leave it out if a load balancer does its work");
  }
}

void NetworkRule::check_node_address(const std::string& path, const std::string& text,
                                     const NodeName& node) {
  const auto ip = parse_ip(text);
  const auto network = node_network();
  if (!ip) return;
  check_inside(path, node.value() + "'s address", text, node);
  if (text == profile_.network.gateway) {
    error("network.duplicate", path, fmt::format("{} has the address of the gateway", node.value()),
          "take another address", node);
  }
  const bool ends = network && !ip->v6 && network->length < 31 &&
                    (*ip == first_of(*network) || *ip == last_of(*network));
  if (ends) {
    error("network.outside", path,
          fmt::format("{} {} is the first or last address of node_cidr, which no machine can have",
                      node.value(), text),
          "take another address", node);
  }
}

void NetworkRule::check_nodes() {
  for (std::size_t i = 0; i < profile_.nodes.size(); ++i) {
    const NodePlan& node = profile_.nodes[i];
    check_node_address(paths_[i] + ".ip", node.address.value(), node.name);
    if (node.maintenance_address != node.address) {
      const std::string path = paths_[i] + ".dhcp_ip";
      const auto network = node_network();
      const auto ip = parse_ip(node.maintenance_address.value());
      if (network && ip && !contains(*network, *ip)) {
        report(Severity::warning, "network.outside", path, node.name,
               fmt::format("{}'s DHCP address {} is not in node_cidr {}", node.name.value(),
                           node.maintenance_address.value(), profile_.network.node_cidr),
               "make sure that this machine is reachable there from here");
      }
    }
  }
}

/// Reports every node whose value another one had before. `key_of` gives the value, empty for none.
template <class Key>
void NetworkRule::find_twice(std::string_view key, Key key_of) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < profile_.nodes.size(); ++i) {
    const NodePlan& node = profile_.nodes[i];
    const std::string text = key_of(node);
    if (text.empty()) continue;
    const auto [found, fresh] = first.emplace(text, i);
    if (fresh) continue;
    const NodePlan& other = profile_.nodes[found->second];
    error("network.duplicate", fmt::format("{}.{}", paths_[i], key),
          fmt::format("the {} {} of {} is already that of {}, see {}", key, text,
                      key == "name" ? "this node" : node.name.value(),
                      key == "name" ? "another one" : other.name.value(),
                      source_.where(fmt::format("{}.{}", paths_[found->second], key))),
          "every machine needs its own", node.name);
  }
}

void NetworkRule::check_duplicates() {
  find_twice("name", [](const NodePlan& node) { return node.name.value(); });
  find_twice("ip", [](const NodePlan& node) { return node.address.value(); });
  find_twice("dhcp_ip", [](const NodePlan& node) {
    return node.maintenance_address == node.address ? "" : node.maintenance_address.value();
  });
  find_twice("mac", [](const NodePlan& node) { return node.mac.value(); });
  find_twice("uuid", [](const NodePlan& node) { return node.uuid.value(); });
  find_twice("serial", [](const NodePlan& node) { return node.serial.value(); });
  find_twice("vmid", [](const NodePlan& node) {
    return node.vmid ? std::to_string(*node.vmid) : std::string();
  });
}

/// A machine that answers for now at the final address of another one would be taken for it.
void NetworkRule::check_borrowed_addresses() {
  for (std::size_t i = 0; i < profile_.nodes.size(); ++i) {
    const NodePlan& node = profile_.nodes[i];
    if (node.maintenance_address == node.address) continue;
    for (const NodePlan& other : profile_.nodes) {
      if (&other == &node || other.address != node.maintenance_address) continue;
      error("network.duplicate", paths_[i] + ".dhcp_ip",
            fmt::format("{} answers at {} for now, which is the planned address of {}",
                        node.name.value(), node.maintenance_address.value(), other.name.value()),
            "keep the DHCP range apart from the nodes' addresses", node.name);
    }
  }
}

void NetworkRule::check_links() {
  const NetworkPlan& network = profile_.network;
  for (std::size_t i = 0; i < profile_.nodes.size(); ++i) {
    const NodePlan& node = profile_.nodes[i];
    const bool known = !node.interface.empty() || !node.mac.value().empty();
    if (known) continue;
    if (node.maintenance_address != node.address) {
      error("network.link", paths_[i] + ".dhcp_ip",
            fmt::format("{} must move from {} to {}, but its link is not known", node.name.value(),
                        node.maintenance_address.value(), node.address.value()),
            "add `interface:` or `mac:` to this node", node.name);
    }
    const bool carries_vip = node.role == Role::control_plane && !network.vip.empty();
    if (carries_vip && network.vip_interface.empty()) {
      error("network.link", paths_[i],
            fmt::format("{} carries the VIP, but its link is not known", node.name.value()),
            "add `talos.vip.interface:`, or `interface:` or `mac:` to this node", node.name);
    }
  }
  if (network.vlan_tagged_by_node && !network.vlan) {
    error("network.vlan", "network.vlan_tagged_by",
          "the nodes must tag frames, but network.vlan is not set",
          "add `vlan:` or remove `vlan_tagged_by:`");
  }
}

}  // namespace

void lint_network(const LintInput& input, std::vector<Finding>& findings) {
  NetworkRule(input, findings).run();
}

}  // namespace ichor
