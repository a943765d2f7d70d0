#include <fmt/format.h>
#include <map>

#include "machineconfig/validate/address.h"
#include "machineconfig/validate/device.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

/// The links that are part of a bond or bridge, with the name of that.
using Members = std::map<std::string, std::string>;

Members find_members(const View& network, Report& report) {
  Members members;
  for (const View& device : network["interfaces"].items()) {
    const View bond = device["bond"];
    const View bridge = device["bridge"];
    const std::string& name = device["interface"].text();
    if (bond && bridge) {
      report.error(device, "an interface cannot be a bond and a bridge", "keep one of them");
    }
    if (bond["interfaces"].count() > 0 && bond["deviceSelectors"].count() > 0) {
      report.error(bond, "a bond cannot have both interfaces and deviceSelectors",
                   "keep one of them");
    }
    const View links = bridge ? bridge["interfaces"] : bond["interfaces"];
    for (const View& link : links.items()) {
      const auto other = members.find(link.text());
      if (other != members.end() && other->second != name) {
        report.error(
            link,
            fmt::format("`{}` belongs to both `{}` and `{}`", link.text(), other->second, name),
            "remove it from one of them");
      }
      members[link.text()] = name;
    }
  }
  return members;
}

void check_address(const View& address, Report& report) {
  if (is_address_with_length(address.text())) return;
  report.error(address, fmt::format("`{}` is not an address", address.text()),
               "write it as 10.0.0.5/24");
}

void check_addressing(const View& device, const Members& members, Report& report) {
  const View cidr = device["cidr"];
  const View addresses = device["addresses"];
  const View vip = device["vip"];
  if (members.contains(device["interface"].text()) &&
      (device["dhcp"].flag() || !cidr.empty() || addresses.count() > 0 || vip)) {
    report.error(device, "a link of a bond or bridge cannot have addresses of its own",
                 "give them to the bond or bridge");
  }
  if (addresses.count() > 0 && !cidr.empty()) {
    report.error(cidr, "an interface cannot have both cidr and addresses",
                 "move the cidr into addresses");
  }
  if (!cidr.empty()) {
    check_address(cidr, report);
    report.warning(cidr, "cidr of an interface is deprecated", "use addresses");
  }
  for (const View& address : addresses.items()) check_address(address, report);
  if (vip && !is_plain_ip(vip["ip"].text())) {
    report.error(vip, fmt::format("`{}` is not an address for a VIP", vip["ip"].text()),
                 "write `ip: 10.0.0.5`");
  }
  for (const View& vlan : device["vlans"].items()) {
    const View vlan_cidr = vlan["cidr"];
    if (vlan["addresses"].count() > 0 && !vlan_cidr.empty()) {
      report.error(vlan_cidr, "a VLAN cannot have both cidr and addresses",
                   "move the cidr into addresses");
    }
    if (!vlan_cidr.empty()) check_address(vlan_cidr, report);
    for (const View& address : vlan["addresses"].items()) check_address(address, report);
  }
}

void check_routes(const View& device, Report& report) {
  for (const View& route : device["routes"].items()) {
    const View network = route["network"];
    const View gateway = route["gateway"];
    const View source = route["source"];
    if (!network.empty() && !is_lax_cidr(network.text())) {
      report.error(network, fmt::format("`{}` is not a network", network.text()),
                   "write 10.0.0.0/8");
    }
    for (const View& address : {gateway, source}) {
      if (address.empty() || is_plain_ip(address.text())) continue;
      report.error(address, fmt::format("`{}` is not an IP address", address.text()),
                   "write 10.0.0.1");
    }
    if (network.empty() && gateway.empty()) {
      report.error(route, "a route needs a network or a gateway", "add one of them");
    }
  }
}

void check_name(const View& device, Report& report) {
  const View selector = device["deviceSelector"];
  const bool named = !device["interface"].empty();
  if (!named && !selector) {
    report.error(device, "an interface has neither a name nor a deviceSelector",
                 "add `interface` or `deviceSelector`");
  } else if (named && selector) {
    report.error(selector, "an interface cannot have both a name and a deviceSelector",
                 "keep one of them");
  }
  if (selector && selector.count() == 0) {
    report.error(selector, "the deviceSelector selects nothing", "add hardwareAddr or busPath");
  }
}

void check_worker_vip(const View& device, Report& report) {
  std::vector<View> vips = {device["vip"]};
  for (const View& vlan : device["vlans"].items()) vips.push_back(vlan["vip"]);
  for (const View& vip : vips) {
    if (vip) report.error(vip, "a worker cannot have a virtual IP", "remove the vip");
  }
}

}  // namespace

void check_machine_network(const Subject& subject, Report& report) {
  const View network = subject.machine()["network"];
  const Members members = find_members(network, report);
  for (const View& device : network["interfaces"].items()) {
    if (subject.type() == MachineType::worker) check_worker_vip(device, report);
    if (device["ignore"].flag()) continue;
    check_name(device, report);
    check_bond(device["bond"], report);
    check_wireguard(device["wireguard"], report);
    check_addressing(device, members, report);
    check_routes(device, report);
  }
}

}  // namespace ichor::validate
