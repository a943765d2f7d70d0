#include "lint/v1_unchecked.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/ip.h"
#include "lint/settings.h"
#include "model/reporter.h"
#include "profile/formats.h"

namespace ichor {

namespace {

class UncheckedRule {
 public:
  UncheckedRule(const LintInput& input, const NodePlan& node, std::vector<Finding>& findings)
      : node_(node), settings_(input, node), report_(findings) {}

  void run() {
    check_subnets({"cluster", "network", "podSubnets"}, "pod");
    check_subnets({"cluster", "network", "serviceSubnets"}, "service");
    check_nameservers();
    check_hostname();
    for (const Setting& list : settings_.all({"machine", "network", "interfaces"})) {
      check_links(list);
    }
    check_documents();
    check_install();
    check_files();
    check_endpoint();
  }

 private:
  void error(const Setting& setting, const yaml::Node& at, std::string what, std::string fix) {
    report_.error("unchecked.value", setting.where(at), std::move(what), std::move(fix));
  }

  void check_subnets(NodeSettings::Path path, std::string_view name) {
    for (const Setting& list : settings_.all(path)) {
      for (const yaml::Node& item : list.value->items) {
        const auto cidr = parse_cidr(item.text);
        if (!cidr) {
          error(list, item, fmt::format("the {} subnet `{}` is not a network", name, item.text),
                "write a network such as 10.42.0.0/16");
        } else if (first_of(*cidr) != cidr->address) {
          error(list, item,
                fmt::format("the {} subnet {} is an address in the network", name, item.text),
                fmt::format("write {}", to_text(Cidr{first_of(*cidr), cidr->length})));
        }
      }
    }
  }

  void check_nameservers() {
    for (const Setting& list : settings_.all({"machine", "network", "nameservers"})) {
      for (const yaml::Node& server : list.value->items) {
        const yaml::Node* address = server.find("address");
        const yaml::Node& item = address != nullptr ? *address : server;
        if (parse_ip(item.text)) continue;
        error(list, item, fmt::format("the nameserver `{}` is not an IP address", item.text),
              "write an IP address: no DNS server can resolve a name yet");
      }
    }
  }

  void check_hostname() {
    const Setting name = settings_.last({"machine", "network", "hostname"});
    if (!name || name.value->text.empty() || is_name(name.value->text)) return;
    error(name, *name.value,
          fmt::format("Kubernetes does not accept the hostname `{}`", name.value->text),
          "write lower-case letters, digits, - and . only");
  }

  void check_address(const Setting& list, const yaml::Node& address) {
    if (parse_cidr(address.text)) return;
    const bool bare = parse_ip(address.text).has_value();
    error(list, address,
          fmt::format("the address `{}` {}", address.text,
                      bare ? "has no mask, and Talos takes it for a single host" : "is not valid"),
          "write it with its mask, such as 192.168.22.101/22");
  }

  void check_mtu(const Setting& list, const yaml::Node& link) {
    const yaml::Node* mtu = link.find("mtu");
    const auto number = mtu != nullptr ? mtu->as_int() : std::nullopt;
    if (!number || *number == 0 || (*number >= 68 && *number <= 65536)) return;
    error(list, *mtu, fmt::format("no link has an MTU of {}", *number),
          "write a number from 68 to 65536, mostly 1500");
  }

  void check_vlans(const Setting& list, const yaml::Node& link) {
    const yaml::Node* vlans = link.find("vlans");
    if (vlans == nullptr) return;
    std::set<std::int64_t> seen;
    for (const yaml::Node& vlan : vlans->items) {
      check_common(list, vlan);
      const yaml::Node* id = vlan.find("vlanId");
      const auto number = id != nullptr ? id->as_int() : std::nullopt;
      if (!number) continue;
      if (*number < 1 || *number > 4094) {
        error(list, *id, fmt::format("there is no VLAN {}", *number),
              "write a number from 1 to 4094");
      } else if (!seen.insert(*number).second) {
        error(list, *id, fmt::format("the VLAN {} appears twice", *number),
              "join the two into one");
      }
    }
  }

  void check_common(const Setting& list, const yaml::Node& link) {
    check_mtu(list, link);
    if (const yaml::Node* addresses = link.find("addresses")) {
      for (const yaml::Node& address : addresses->items) check_address(list, address);
    }
  }

  void check_links(const Setting& list) {
    std::set<std::string> seen;
    for (const yaml::Node& link : list.value->items) {
      check_common(list, link);
      check_vlans(list, link);
      const yaml::Node* name = link.find("interface");
      if (name != nullptr && !name->text.empty() && !seen.insert(name->text).second) {
        error(list, *name, fmt::format("the interface {} appears twice", name->text),
              "join the two into one");
      }
      const yaml::Node* bond = link.find("bond");
      if (bond == nullptr) continue;
      const yaml::Node* links = bond->find("interfaces");
      const yaml::Node* selectors = bond->find("deviceSelectors");
      const bool some = (links != nullptr && !links->items.empty()) ||
                        (selectors != nullptr && !selectors->items.empty());
      if (!some) {
        error(list, *bond, "a bond without links carries nothing",
              "name its interfaces or deviceSelectors");
      }
    }
  }

  void check_documents() {
    if (node_.role == Role::worker) {
      for (const Setting& vip : settings_.documents("Layer2VIPConfig")) {
        error(vip, *vip.value,
              fmt::format("{} is a worker and would take the VIP without having an API",
                          node_.name.value()),
              "move it to the patches of control planes");
      }
    }
    for (const Setting& bond : settings_.documents("BondConfig")) {
      const yaml::Node* links = bond.value->find("links");
      if (links == nullptr || links->items.empty()) {
        error(bond, *bond.value, "a bond without links carries nothing", "name its links");
      }
    }
    for (const Setting& vlan : settings_.documents("VLANConfig")) {
      const yaml::Node* id = vlan.value->find("vlanID");
      const auto number = id != nullptr ? id->as_int() : std::nullopt;
      if (number && (*number < 1 || *number > 4094)) {
        error(vlan, *id, fmt::format("there is no VLAN {}", *number),
              "write a number from 1 to 4094");
      }
    }
  }

  void check_install() {
    const Setting disk = settings_.last({"machine", "install", "disk"});
    if (!disk || is_disk(disk.value->text)) return;
    error(disk, *disk.value, fmt::format("the disk `{}` is not a path", disk.value->text),
          fmt::format("write /dev/{}", disk.value->text));
  }

  void check_files() {
    for (const Setting& list : settings_.all({"machine", "files"})) {
      for (const yaml::Node& file : list.value->items) {
        const yaml::Node* op = file.find("op");
        if (op == nullptr || op->text == "create" || op->text == "append" ||
            op->text == "overwrite") {
          continue;
        }
        error(list, *op, fmt::format("there is no file operation `{}`", op->text),
              "write create, append or overwrite");
      }
    }
  }

  void check_endpoint() {
    const Setting endpoint = settings_.last({"cluster", "controlPlane", "endpoint"});
    if (!endpoint || endpoint.value->text.starts_with("https://")) return;
    error(endpoint, *endpoint.value,
          fmt::format("the endpoint `{}` is not https://: no API server answers there",
                      endpoint.value->text),
          "write https:// and the port 6443");
  }

  const NodePlan& node_;
  NodeSettings settings_;
  Reporter report_;
};

}  // namespace

void lint_unchecked(const LintInput& input, std::vector<Finding>& findings) {
  for (const NodePlan& node : input.profile.nodes) UncheckedRule(input, node, findings).run();
}

}  // namespace ichor
