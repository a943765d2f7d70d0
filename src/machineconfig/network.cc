#include "machineconfig/network.h"

#include <fmt/format.h>

#include "base/ip.h"
#include "machineconfig/document.h"

namespace ichor {

namespace {

/// Our name for a link that the profile knows by its MAC only.
constexpr std::string_view kAlias = "net0";

/// How the node gets to its address. Without a link the node keeps what DHCP gives it.
struct Addressing {
  std::string link;     // "eth0", or our alias
  std::string carrier;  // the link that carries the address: `link`, or the VLAN on it
  bool by_mac{false};
  std::string address;  // with the length of the network
};

Result<std::optional<Addressing>> addressing_of(const ClusterProfile& profile,
                                                const NodePlan& node) {
  Addressing result;
  result.by_mac = node.interface.empty() && !node.mac.value().empty();
  result.link = result.by_mac ? std::string(kAlias) : node.interface;
  if (result.link.empty()) {
    const bool moves =
        !node.maintenance_address.value().empty() && node.maintenance_address != node.address;
    if (!moves) return std::nullopt;
    return fail(
        Errc::invalid,
        fmt::format("{} must move from {} to {}, but neither its interface nor its MAC is set",
                    node.name.value(), node.maintenance_address.value(), node.address.value()));
  }
  const auto network = parse_cidr(profile.network.node_cidr);
  if (!network) return fail(Errc::invalid, "node_cidr is not a network");
  result.address = fmt::format("{}/{}", node.address.value(), network->length);
  result.carrier = result.link;
  if (profile.network.vlan && profile.network.vlan_tagged_by_node) {
    result.carrier = fmt::format("{}.{}", result.link, *profile.network.vlan);
  }
  return result;
}

void set_address(yaml::Map& link, const Addressing& addressing, const NetworkPlan& network) {
  link.set("up", true);
  link.set("addresses", yaml::list({yaml::map().set("address", addressing.address).done()}));
  if (!network.gateway.empty()) {
    link.set("routes", yaml::list({yaml::map().set("gateway", network.gateway).done()}));
  }
}

void add_links(std::vector<yaml::Node>& documents, const Addressing& addressing,
               const NetworkPlan& network, const NodePlan& node) {
  if (addressing.by_mac) {
    const std::string match = fmt::format("mac(link.permanent_addr) == \"{}\"", node.mac.value());
    documents.push_back(typed_document("LinkAliasConfig")
                            .set("name", addressing.link)
                            .set("selector", yaml::map().set("match", match)));
  }
  yaml::Map link = typed_document("LinkConfig").set("name", addressing.link);
  if (addressing.carrier == addressing.link) {
    set_address(link, addressing, network);
    documents.push_back(std::move(link));
    return;
  }
  documents.push_back(std::move(link).set("up", true));
  yaml::Map vlan = typed_document("VLANConfig")
                       .set("name", addressing.carrier)
                       .set("vlanID", *network.vlan)
                       .set("parent", addressing.link);
  set_address(vlan, addressing, network);
  documents.push_back(std::move(vlan));
}

bool has_vip(const ClusterProfile& profile, const NodePlan& node) {
  return node.role == Role::control_plane && !profile.network.vip.empty();
}

std::string vip_link(const ClusterProfile& profile, const std::optional<Addressing>& addressing) {
  if (!profile.network.vip_interface.empty()) return profile.network.vip_interface;
  return addressing ? addressing->carrier : "";
}

tl::unexpected<Error> no_vip_link(const NodePlan& node) {
  return fail(Errc::invalid,
              fmt::format("{} carries the VIP, but neither vip.interface nor the node's "
                          "interface or MAC is set",
                          node.name.value()));
}

}  // namespace

Result<std::vector<yaml::Node>> network_documents(const Contract& contract,
                                                  const ClusterProfile& profile,
                                                  const NodePlan& node) {
  const auto addressing = addressing_of(profile, node);
  if (!addressing) return forward_error(addressing);
  std::vector<yaml::Node> documents;
  documents.push_back(
      typed_document("HostnameConfig").set("auto", "off").set("hostname", node.name.value()));
  const NetworkPlan& network = profile.network;
  if (*addressing) add_links(documents, **addressing, network, node);
  if (has_vip(profile, node)) {
    const std::string link = vip_link(profile, *addressing);
    if (link.empty()) return no_vip_link(node);
    documents.push_back(
        typed_document("Layer2VIPConfig").set("name", network.vip).set("link", link));
  }
  if (!network.nameservers.empty() && !contract.typed_documents) {
    documents.push_back(
        typed_document("ResolverConfig").set("nameservers", nameserver_list(network.nameservers)));
  }
  if (!network.ntp.empty()) {
    documents.push_back(typed_document("TimeSyncConfig")
                            .set("ntp", yaml::map().set("servers", yaml::list(network.ntp))));
  }
  return documents;
}

Result<yaml::Node> machine_network(const ClusterProfile& profile, const NodePlan& node) {
  const auto addressing = addressing_of(profile, node);
  if (!addressing) return forward_error(addressing);
  const NetworkPlan& network = profile.network;
  yaml::Map result;
  result.set("hostname", node.name.value());
  yaml::Map carrier;  // the interface or the VLAN on it
  if (*addressing) {
    carrier.set("addresses", yaml::list({(*addressing)->address}));
    if (!network.gateway.empty()) {
      const bool v6 = network.gateway.find(':') != std::string::npos;
      yaml::Map route;
      route.set("network", v6 ? "::/0" : "0.0.0.0/0").set("gateway", network.gateway);
      carrier.set("routes", yaml::list({route}));
    }
    carrier.set("dhcp", false);
    const bool on_vlan = (*addressing)->carrier != (*addressing)->link;
    if (on_vlan) carrier.set("vlanId", *network.vlan);
  }
  std::vector<yaml::Node> interfaces;
  if (has_vip(profile, node)) {
    const std::string link = vip_link(profile, *addressing);
    if (link.empty()) return no_vip_link(node);
    const yaml::Node vip = yaml::map().set("ip", network.vip);
    if (*addressing && link == (*addressing)->carrier) {
      carrier.set("vip", vip);
    } else {
      interfaces.push_back(yaml::map().set("interface", link).set("vip", vip));
    }
  }
  if (*addressing) {
    yaml::Map interface;
    if ((*addressing)->by_mac) {
      interface.set("deviceSelector", yaml::map().set("hardwareAddr", node.mac.value()));
    } else {
      interface.set("interface", (*addressing)->link);
    }
    if ((*addressing)->carrier == (*addressing)->link) {
      for (const yaml::Entry& entry : yaml::Node(carrier).entries) {
        interface.set(entry.key.text, entry.value);
      }
    } else {
      interface.set("vlans", yaml::list({carrier})).set("dhcp", false);
    }
    interfaces.insert(interfaces.begin(), interface);
  }
  if (!interfaces.empty()) result.set("interfaces", yaml::list(std::move(interfaces)));
  if (!network.nameservers.empty()) result.set("nameservers", yaml::list(network.nameservers));
  return std::move(result).done();
}

std::optional<yaml::Node> machine_time(const ClusterProfile& profile) {
  if (profile.network.ntp.empty()) return std::nullopt;
  return yaml::map().set("servers", yaml::list(profile.network.ntp)).done();
}

}  // namespace ichor
