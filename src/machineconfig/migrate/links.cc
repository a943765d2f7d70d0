// machine.network.interfaces. An old interface is everything about one link: the link itself, how
// it gets addresses, VLANs on it and the VIP that it carries. Each of these is a document now.

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "machineconfig/migrate/mover.h"
#include "machineconfig/migrate/selectors.h"

namespace ichor::migrate {

namespace {

struct Renamed {
  const char* old_key;
  const char* key;
};

constexpr std::array<Renamed, 26> kBondKeys{{{"interfaces", "links"},
                                             {"mode", "bondMode"},
                                             {"arpIPTarget", "arpIpTargets"},
                                             {"xmitHashPolicy", "xmitHashPolicy"},
                                             {"lacpRate", "lacpRate"},
                                             {"arpValidate", "arpValidate"},
                                             {"arpAllTargets", "arpAllTargets"},
                                             {"primaryReselect", "primaryReselect"},
                                             {"failOverMac", "failOverMac"},
                                             {"adSelect", "adSelect"},
                                             {"miimon", "miimon"},
                                             {"updelay", "updelay"},
                                             {"downdelay", "downdelay"},
                                             {"arpInterval", "arpInterval"},
                                             {"resendIgmp", "resendIGMP"},
                                             {"minLinks", "minLinks"},
                                             {"lpInterval", "lpInterval"},
                                             {"packetsPerSlave", "packetsPerSlave"},
                                             {"numPeerNotif", "numPeerNotif"},
                                             {"tlbDynamicLb", "tlbLogicalLb"},
                                             {"allSlavesActive", "allSlavesActive"},
                                             {"useCarrier", "useCarrier"},
                                             {"adActorSysPrio", "adActorSysPrio"},
                                             {"adUserPortKey", "adUserPortKey"},
                                             {"peerNotifyDelay", "peerNotifDelay"},
                                             {"deviceSelectors", ""}}};

bool holds(const yaml::Node& device, std::string_view key) {
  const yaml::Node* value = device.find(key);
  return value && !value->is_null();
}

std::string text_of(const yaml::Node& device, std::string_view key) {
  const yaml::Node* value = device.find(key);
  return value ? value->text : "";
}

bool is_default_route(const std::string& network) {
  return network.empty() || network == "0.0.0.0/0" || network == "::/0";
}

/// Addresses, routes and size of packets, which every link has.
void add_addressing(const yaml::Node& device, yaml::Node& document) {
  put(document, "up", yaml::make_bool(true));
  if (holds(device, "mtu") && text_of(device, "mtu") != "0") {
    put(document, "mtu", *device.find("mtu"));
  }
  std::vector<yaml::Node> addresses;
  const auto add_address = [&](const std::string& address) {
    if (!address.empty()) addresses.push_back(yaml::map().set("address", address));
  };
  add_address(text_of(device, "cidr"));
  if (const yaml::Node* list = device.find("addresses")) {
    for (const yaml::Node& item : list->items) add_address(item.text);
  }
  if (!addresses.empty()) put(document, "addresses", yaml::list(std::move(addresses)));
  const yaml::Node* old_routes = device.find("routes");
  if (!old_routes || old_routes->items.empty()) return;
  std::vector<yaml::Node> routes;
  for (const yaml::Node& old_route : old_routes->items) {
    yaml::Map route;
    const std::string network = text_of(old_route, "network");
    if (!is_default_route(network)) route.set("destination", network);
    for (const char* key : {"gateway", "source", "metric", "mtu"}) {
      const yaml::Node* value = old_route.find(key);
      if (value && !value->text.empty() && value->text != "0") route.set(key, *value);
    }
    routes.push_back(route);
  }
  put(document, "routes", yaml::list(std::move(routes)));
}

void add_dhcp(Mover& mover, const yaml::Node& device, const std::string& link) {
  if (text_of(device, "dhcp") != "true") return;
  const yaml::Node* options = device.find("dhcpOptions");
  const auto option = [&](std::string_view key) {
    return options ? text_of(*options, key) : std::string();
  };
  const std::string metric = option("routeMetric");
  const auto add = [&](std::string_view kind) -> yaml::Node& {
    yaml::Node& document = mover.document(kind, link);
    if (!metric.empty() && metric != "0")
      put(document, "routeMetric", *options->find("routeMetric"));
    return document;
  };
  if (option("ipv4") != "false") add("DHCPv4Config");
  if (option("ipv6") == "true") {
    yaml::Node& document = add("DHCPv6Config");
    if (!option("duidv6").empty()) {
      put(document, "clientIdentifier", yaml::make_string("duid"));
      put(document, "duidRaw", yaml::make_string(option("duidv6")));
    }
  }
}

void add_vip(Mover& mover, const yaml::Node& device, const std::string& link) {
  const yaml::Node* vip = device.find("vip");
  if (!vip || text_of(*vip, "ip").empty()) return;
  const std::string address = text_of(*vip, "ip");
  if (const yaml::Node* hcloud = vip->find("hcloud")) {
    yaml::Node& document = mover.document("HCloudVIPConfig", address);
    put(document, "link", yaml::make_string(link));
    put(document, "apiToken", yaml::make_string(text_of(*hcloud, "apiToken")));
  } else {
    put(mover.document("Layer2VIPConfig", address), "link", yaml::make_string(link));
  }
}

class Links {
 public:
  explicit Links(Mover& mover) : mover_(mover) {}

  /// False: the interface keeps its old form.
  bool move(const yaml::Node& device) {
    if (stays(device)) return false;
    const std::string link = name_of(device);
    add_addressing(device, document_of(device, link));
    add_dhcp(mover_, device, link);
    add_vip(mover_, device, link);
    if (const yaml::Node* vlans = device.find("vlans")) {
      for (const yaml::Node& vlan : vlans->items) add_vlan(vlan, link);
    }
    return true;
  }

 private:
  bool stays(const yaml::Node& device) {
    const auto refuse = [&](std::string what, std::string fix) {
      mover_.refuse({"machine", "network", "interfaces"}, std::move(what), std::move(fix));
      return true;
    };
    const std::string name = text_of(device, "interface");
    if (text_of(device, "ignore") == "true") {
      return refuse(fmt::format("{}: `ignore` has no typed form", name),
                    "leave the link out of the config and delete this interface, if no DHCP server "
                    "answers there");
    }
    const yaml::Node* vip = device.find("vip");
    if (vip && holds(*vip, "equinixMetal")) {
      return refuse(fmt::format("{}: a VIP of Equinix Metal has no typed form", name),
                    "delete it: Equinix Metal has ended");
    }
    if (holds(device, "bridgePort")) {
      return refuse(fmt::format("{}: a link joins a bridge in the BridgeConfig now", name),
                    "write the link into `links` of the BridgeConfig by hand");
    }
    const yaml::Node* bond = device.find("bond");
    for (const char* key : {"deviceSelectors", "primary", "adActorSystem"}) {
      if (!bond || !holds(*bond, key)) continue;
      return refuse(fmt::format("{}: bond.{} has no typed form", name, key),
                    "give the links names by LinkAliasConfig documents, and use them in `links` of "
                    "a BondConfig");
    }
    const yaml::Node* selector = device.find("deviceSelector");
    if (name.empty() && (!selector || link_match(*selector).empty())) {
      return refuse("an interface that is selected only by `physical` has no typed form",
                    "select it by permanentAddr or busPath");
    }
    return false;
  }

  /// The name of the link; a selector becomes an alias.
  std::string name_of(const yaml::Node& device) {
    const std::string name = text_of(device, "interface");
    if (!name.empty()) return name;
    const std::string match = link_match(*device.find("deviceSelector"));
    const auto known = aliases_.find(match);
    if (known != aliases_.end()) return known->second;
    std::string alias;
    for (int number = 0; alias.empty() || mover_.find_document("LinkAliasConfig", alias);) {
      alias = fmt::format("net{}", number++);
    }
    put(mover_.document("LinkAliasConfig", alias), "selector", yaml::map().set("match", match));
    mover_.warn(
        {"machine", "network", "interfaces"},
        fmt::format("the selected link gets the name {}, and VLANs on it {}.NUMBER", alias, alias),
        "an alias must match one link only: check the selector if it has a pattern");
    return aliases_[match] = alias;
  }

  yaml::Node& document_of(const yaml::Node& device, const std::string& link) {
    if (const yaml::Node* bond = device.find("bond")) {
      yaml::Node& document = mover_.document("BondConfig", link);
      for (const Renamed& row : kBondKeys) {
        const yaml::Node* value = bond->find(row.old_key);
        if (value && *row.key) put(document, row.key, *value);
      }
      return document;
    }
    if (const yaml::Node* bridge = device.find("bridge")) {
      yaml::Node& document = mover_.document("BridgeConfig", link);
      if (const yaml::Node* ports = bridge->find("interfaces")) put(document, "links", *ports);
      if (const yaml::Node* stp = bridge->find("stp")) put(document, "stp", *stp);
      const yaml::Node* filtering = bridge->find_path({"vlan", "vlanFiltering"});
      if (filtering) put(document, "vlan", yaml::map().set("filtering", *filtering));
      return document;
    }
    if (const yaml::Node* wireguard = device.find("wireguard")) {
      yaml::Node& document = mover_.document("WireguardConfig", link);
      for (const yaml::Entry& entry : wireguard->entries) {
        put(document, entry.key.text, entry.value);
      }
      return document;
    }
    const bool dummy = text_of(device, "dummy") == "true";
    return mover_.document(dummy ? "DummyLinkConfig" : "LinkConfig", link);
  }

  void add_vlan(const yaml::Node& vlan, const std::string& parent) {
    const yaml::Node* id = vlan.find("vlanId");
    if (!id) return;
    const std::string name = fmt::format("{}.{}", parent, id->text);
    yaml::Node& document = mover_.document("VLANConfig", name);
    put(document, "vlanID", *id);
    put(document, "parent", yaml::make_string(parent));
    add_addressing(vlan, document);
    add_dhcp(mover_, vlan, name);
    add_vip(mover_, vlan, name);
  }

  Mover& mover_;
  std::map<std::string, std::string> aliases_;
};

}  // namespace

void move_links(Mover& mover) {
  auto devices = mover.take({"machine", "network", "interfaces"});
  if (!devices) return;
  Links links(mover);
  std::erase_if(devices->items, [&](const yaml::Node& device) { return links.move(device); });
  if (!devices->items.empty()) mover.give_back({"machine", "network", "interfaces"}, *devices);
}

}  // namespace ichor::migrate
