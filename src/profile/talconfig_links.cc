#include "profile/talconfig_links.h"

#include <array>
#include <fmt/format.h>
#include <set>
#include <string>

#include "yaml/build.h"

namespace ichor {

namespace {

using yaml::Map;
using yaml::Node;

const Node* find(const Node& node, std::string_view key) {
  const Node* value = node.find(key);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

std::string text_of(const Node& node, std::string_view key) {
  const Node* value = find(node, key);
  return value != nullptr ? value->text : std::string();
}

/// Whether a number is there and above zero; what is not a number is kept, to be found wrong later.
bool is_positive(const Node* value) {
  return value != nullptr && !(value->as_int() && *value->as_int() <= 0);
}

bool is_true(const Node& node, std::string_view key, bool otherwise = false) {
  const Node* value = find(node, key);
  return value != nullptr ? value->as_bool().value_or(otherwise) : otherwise;
}

Map document(std::string_view kind, std::string_view name) {
  return yaml::map().set("apiVersion", "v1alpha1").set("kind", kind).set("name", name);
}

class LinkDocuments {
 public:
  explicit LinkDocuments(const Node& interfaces) {
    for (const Node& device : interfaces.items) {
      devices_.push_back({&device, text_of(device, "interface")});
    }
  }

  std::vector<Node> run() {
    name_selected();
    for (const Device& device : devices_) add_bond_members(device);
    for (const Device& device : devices_) add_bond(device);
    for (const Device& device : devices_) {
      if (is_true(*device.node, "dhcp")) add_dhcp(device.name, find(*device.node, "dhcpOptions"));
    }
    for (const Device& device : devices_) add_vip(device.name, find(*device.node, "vip"));
    for (const Device& device : devices_) add_link(device);
    for (const Device& device : devices_) add_vlans(device);
    for (const Device& device : devices_) add_wireguard(device);
    for (const Device& device : devices_) add_bridge(device);
    return std::move(documents_);
  }

 private:
  struct Device {
    const Node* node;
    std::string name;
  };

  /// A device that is selected and has no name gets one that is free.
  void name_selected();
  void add_alias(const std::string& name, const Node& selector);
  void add_bond_members(const Device& device);
  void add_bond(const Device& device);
  void add_dhcp(const std::string& link, const Node* options);
  void add_vip(const std::string& link, const Node* vip);
  void add_link(const Device& device);
  void add_vlans(const Device& device);
  void add_vlan(const Device& device, const Node& vlan);
  void add_wireguard(const Device& device);
  void add_bridge(const Device& device);

  std::vector<Device> devices_;
  std::vector<Node> documents_;
};

/// The condition that Talos evaluates for each link; empty if the selector has none.
std::string condition_of(const Node& selector) {
  struct Field {
    std::string_view key, expression;
  };
  constexpr std::array<Field, 5> fields = {{{"hardwareAddr", "mac(link.hardware_addr)"},
                                            {"permanentAddr", "mac(link.permanent_addr)"},
                                            {"busPath", "link.bus_path"},
                                            {"driver", "link.driver"},
                                            {"pciID", "link.pciid"}}};
  std::string condition;
  const auto add = [&](const std::string& part) {
    condition += condition.empty() ? part : " && " + part;
  };
  for (const Field& field : fields) {
    const std::string value = text_of(selector, field.key);
    if (!value.empty()) add(fmt::format("glob(\"{}\", {})", value, field.expression));
  }
  if (const Node* physical = find(selector, "physical")) {
    add(physical->as_bool().value_or(false) ? "link.type == 1" : "link.type != 1");
  }
  return condition;
}

void LinkDocuments::add_alias(const std::string& name, const Node& selector) {
  const std::string condition = condition_of(selector);
  if (condition.empty()) return;
  documents_.push_back(document("LinkAliasConfig", name)
                           .set("selector", yaml::map().set("match", condition))
                           .done());
}

void LinkDocuments::name_selected() {
  std::set<std::string> used;
  for (const Device& device : devices_) used.insert(device.name);
  std::array<int, 4> counts{};
  for (Device& device : devices_) {
    const Node* selector = find(*device.node, "deviceSelector");
    if (selector == nullptr) continue;
    const std::size_t kind = find(*device.node, "bond") != nullptr        ? 0
                             : find(*device.node, "bridge") != nullptr    ? 1
                             : find(*device.node, "wireguard") != nullptr ? 2
                                                                          : 3;
    constexpr std::array<std::string_view, 4> prefixes = {"bond", "br", "wg", "ethSel"};
    while (device.name.empty() ||
           (find(*device.node, "interface") == nullptr && used.contains(device.name))) {
      device.name = fmt::format("{}{}", prefixes[kind], counts[kind]++);
    }
    used.insert(device.name);
    add_alias(device.name, *selector);
  }
}

void LinkDocuments::add_bond_members(const Device& device) {
  const Node* bond = find(*device.node, "bond");
  const Node* selectors = bond != nullptr ? find(*bond, "deviceSelectors") : nullptr;
  if (selectors == nullptr) return;
  for (std::size_t i = 0; i < selectors->items.size(); ++i) {
    add_alias(fmt::format("{}-m{}", device.name, i), selectors->items[i]);
  }
}

/// "192.168.1.5" is a network of one address.
std::string with_mask(const std::string& address) {
  if (address.find('/') != std::string::npos) return address;
  return address + (address.find(':') != std::string::npos ? "/128" : "/32");
}

Node route_of(const Node& route) {
  Map result;
  const std::string network = text_of(route, "network");
  // The gateway tells the family of a default route.
  const bool is_default = network.empty() || network == "0.0.0.0/0" || network == "::/0";
  if (!is_default) result.set("destination", network);
  for (const std::string_view key : {"gateway", "source"}) {
    if (const std::string value = text_of(route, key); !value.empty()) result.set(key, value);
  }
  for (const std::string_view key : {"metric", "mtu"}) {
    if (const Node* value = find(route, key); is_positive(value)) result.set(key, *value);
  }
  return std::move(result).done();
}

/// What all kinds of links have.
void set_common(Map& link, const Node& device) {
  std::vector<Node> addresses, routes;
  if (const Node* list = find(device, "addresses")) {
    for (const Node& address : list->items) {
      addresses.push_back(yaml::map().set("address", with_mask(address.text)).done());
    }
  }
  if (const Node* list = find(device, "routes")) {
    for (const Node& route : list->items) routes.push_back(route_of(route));
  }
  if (const Node* mtu = find(device, "mtu"); is_positive(mtu)) link.set("mtu", *mtu);
  if (!addresses.empty()) link.set("addresses", yaml::list(std::move(addresses)));
  if (!routes.empty()) link.set("routes", yaml::list(std::move(routes)));
}

void LinkDocuments::add_bond(const Device& device) {
  const Node* bond = find(*device.node, "bond");
  if (bond == nullptr) return;
  Map result = document("BondConfig", device.name);
  std::vector<std::string> links;
  if (const Node* interfaces = find(*bond, "interfaces")) {
    for (const Node& link : interfaces->items) links.push_back(link.text);
  }
  if (const Node* selectors = find(*bond, "deviceSelectors")) {
    for (std::size_t i = 0; i < selectors->items.size(); ++i) {
      links.push_back(fmt::format("{}-m{}", device.name, i));
    }
  }
  if (!links.empty()) result.set("links", yaml::list(links));
  struct Key {
    std::string_view from, to;
  };
  constexpr std::array<Key, 8> words = {{{"mode", "bondMode"},
                                         {"xmitHashPolicy", "xmitHashPolicy"},
                                         {"lacpRate", "lacpRate"},
                                         {"arpValidate", "arpValidate"},
                                         {"arpAllTargets", "arpAllTargets"},
                                         {"primaryReselect", "primaryReselect"},
                                         {"failOverMac", "failOverMac"},
                                         {"adSelect", "adSelect"}}};
  for (const Key& key : words) {
    if (const std::string word = text_of(*bond, key.from); !word.empty()) result.set(key.to, word);
  }
  constexpr std::array<Key, 14> numbers = {{{"miimon", "miimon"},
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
                                            {"adActorSysPrio", "adActorSysPrio"},
                                            {"adUserPortKey", "adUserPortKey"},
                                            {"peerNotifyDelay", "peerNotifDelay"}}};
  for (const Key& key : numbers) {
    if (const Node* value = find(*bond, key.from); is_positive(value)) result.set(key.to, *value);
  }
  if (const Node* carrier = find(*bond, "useCarrier")) result.set("useCarrier", *carrier);
  if (const Node* targets = find(*bond, "arpIPTarget")) result.set("arpIpTargets", *targets);
  set_common(result, *device.node);
  documents_.push_back(std::move(result).done());
}

void LinkDocuments::add_dhcp(const std::string& link, const Node* options) {
  const Node none;
  const Node& told = options != nullptr ? *options : none;
  const auto add = [&](std::string_view kind) {
    Map result = document(kind, link);
    if (const Node* metric = find(told, "routeMetric"); is_positive(metric)) {
      result.set("routeMetric", *metric);
    }
    documents_.push_back(std::move(result).done());
  };
  if (is_true(told, "ipv4", true)) add("DHCPv4Config");
  if (is_true(told, "ipv6")) add("DHCPv6Config");
}

void LinkDocuments::add_vip(const std::string& link, const Node* vip) {
  const std::string address = vip != nullptr ? text_of(*vip, "ip") : std::string();
  if (address.empty()) return;
  documents_.push_back(document("Layer2VIPConfig", address).set("link", link).done());
}

void LinkDocuments::add_link(const Device& device) {
  const Node& node = *device.node;
  for (const std::string_view key : {"bond", "wireguard", "bridge"}) {
    if (find(node, key) != nullptr) return;
  }
  const auto has_items = [&](std::string_view key) {
    const Node* list = find(node, key);
    return list != nullptr && !list->items.empty();
  };
  const bool says_something =
      has_items("addresses") || has_items("routes") || is_positive(find(node, "mtu"));
  const bool dummy = is_true(node, "dummy");
  if (!says_something && !dummy) return;
  Map result = document(dummy ? "DummyLinkConfig" : "LinkConfig", device.name);
  set_common(result, node);
  documents_.push_back(std::move(result).done());
}

void LinkDocuments::add_vlan(const Device& device, const Node& vlan) {
  const Node* id = find(vlan, "vlanId");
  if (!is_positive(id)) return;
  const std::string name = fmt::format("{}.{}", device.name, id->text);
  Map result = document("VLANConfig", name).set("vlanID", *id).set("parent", device.name);
  set_common(result, vlan);
  documents_.push_back(std::move(result).done());
  if (is_true(vlan, "dhcp")) add_dhcp(name, find(vlan, "dhcpOptions"));
  add_vip(name, find(vlan, "vip"));
}

void LinkDocuments::add_vlans(const Device& device) {
  if (const Node* vlans = find(*device.node, "vlans")) {
    for (const Node& vlan : vlans->items) add_vlan(device, vlan);
  }
}

void LinkDocuments::add_wireguard(const Device& device) {
  const Node* wireguard = find(*device.node, "wireguard");
  if (wireguard == nullptr) return;
  Map result = document("WireguardConfig", device.name);
  if (const Node* key = find(*wireguard, "privateKey")) result.set("privateKey", *key);
  for (const std::string_view key : {"listenPort", "firewallMark"}) {
    if (const Node* value = find(*wireguard, key); is_positive(value)) result.set(key, *value);
  }
  std::vector<Node> peers;
  if (const Node* list = find(*wireguard, "peers")) {
    for (const Node& peer : list->items) {
      Map one;
      for (const std::string_view key :
           {"publicKey", "endpoint", "persistentKeepaliveInterval", "allowedIPs"}) {
        if (const Node* value = find(peer, key)) one.set(key, *value);
      }
      peers.push_back(std::move(one).done());
    }
  }
  if (!peers.empty()) result.set("peers", yaml::list(std::move(peers)));
  set_common(result, *device.node);
  documents_.push_back(std::move(result).done());
}

void LinkDocuments::add_bridge(const Device& device) {
  const Node* bridge = find(*device.node, "bridge");
  if (bridge == nullptr) return;
  Map result = document("BridgeConfig", device.name);
  if (const Node* links = find(*bridge, "interfaces")) result.set("links", *links);
  if (const Node* stp = find(*bridge, "stp")) result.set("stp", *stp);
  if (const Node* vlan = find(*bridge, "vlan");
      vlan != nullptr && is_true(*vlan, "vlanFiltering")) {
    result.set("vlan", yaml::map().set("filtering", true));
  }
  set_common(result, *device.node);
  documents_.push_back(std::move(result).done());
}

}  // namespace

std::vector<yaml::Node> link_documents(const yaml::Node& interfaces) {
  return LinkDocuments(interfaces).run();
}

}  // namespace ichor
