#include <algorithm>
#include <fmt/format.h>

#include "base/ip.h"
#include "machineconfig/validate/address.h"
#include "machineconfig/validate/named.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

/// 0.0.0.0 and ::, with or without a length.
bool is_unspecified(const std::string& text) {
  const auto ip = parse_ip(text.substr(0, text.find('/')));
  return ip && *ip == Ip{ip->v6, {}};
}

/// What all links have.
void check_link(const View& document, Report& report) {
  require_name(document, report);
  for (const View& item : document["addresses"].items()) {
    const View address = item["address"];
    if (address.empty()) {
      report.error(item, "an address is missing", "write `address: 10.0.0.5/24`");
    } else if (is_unspecified(address.text())) {
      report.error(address, fmt::format("`{}` is not the address of a machine", address.text()),
                   "write it as 10.0.0.5/24");
    }
  }
  for (const View& route : document["routes"].items()) {
    for (const char* const key : {"destination", "gateway", "source"}) {
      const View value = route[key];
      if (value.empty() || !is_unspecified(value.text())) continue;
      report.error(value, fmt::format("{} of a route cannot be `{}`", key, value.text()),
                   std::string_view(key) == "destination" ? "leave it out for a default route"
                                                          : "write an address");
    }
  }
}

void check_bond_config(const View& document, Report& report) {
  check_link(document, report);
  if (document["links"].count() == 0) {
    report.error(document, "a bond needs links", "add `links`");
  }
  const View mode = document["bondMode"];
  if (!mode) {
    report.error(document, "bondMode is missing", "write `bondMode: 802.3ad`, or another one");
  } else if (mode.text() == "802.3ad") {
    for (const char* const key : {"miimon", "updelay", "downdelay"}) {
      if (document[key]) continue;
      report.warning(document, fmt::format("{} of an 802.3ad bond is missing", key),
                     fmt::format("add `{}`", key));
    }
  }
}

void check_vlan_config(const View& document, Report& report) {
  check_link(document, report);
  const std::int64_t id = document["vlanID"].number();
  if (id < 1 || id > 4094) {
    report.error(document["vlanID"], "vlanID must be from 1 to 4094", "write `vlanID: 100`");
  }
  if (document["parent"].empty()) {
    report.error(document, "a VLAN needs a parent", "write `parent: LINK`");
  }
}

void check_vrf_config(const View& document, Report& report) {
  check_link(document, report);
  const View table = document["table"];
  const std::string& name = table.text();
  if (name.empty() || name == "local" || name == "main" || name == "default") {
    report.error(table, "a VRF needs a routing table of its own", "write a number, such as 100");
  }
}

void check_link_name(const View& at, const View& name, Report& report) {
  const std::string& text = name.text();
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7f && c != '/' && c != ':';
  });
  if (!text.empty() && text.size() <= 15 && printable && text != "." && text != "..") return;
  report.error(name.empty() ? at : name, fmt::format("`{}` is not a name for a link", text),
               "use up to 15 letters and digits");
}

void check_veth_config(const View& document, Report& report) {
  check_link(document, report);
  check_link_name(document, document["name"], report);
  const View peer = document["peer"];
  check_link(peer ? peer : document, report);
  check_link_name(document, peer["name"], report);
}

void check_key(const View& at, const View& key, std::string_view what, bool needed,
               Report& report) {
  if (key.empty() && !needed) return;
  if (is_wireguard_key(key.text())) return;
  report.error(key.empty() ? at : key, fmt::format("{} must be 32 bytes in base64", what),
               "make it with `wg genkey`, `wg pubkey` or `wg genpsk`");
}

void check_wireguard_config(const View& document, Report& report) {
  check_link(document, report);
  check_key(document, document["privateKey"], "the private key of WireGuard", true, report);
  const std::int64_t port = document["listenPort"].number();
  if (port < 0 || port > 65535) {
    report.error(document["listenPort"], "listenPort must be from 0 to 65535", "write 51820");
  }
  for (const View& peer : document["peers"].items()) {
    check_key(peer, peer["publicKey"], "the public key of a peer", true, report);
    check_key(peer, peer["presharedKey"], "the preshared key of a peer", false, report);
    require_positive(peer["persistentKeepaliveInterval"], "persistentKeepaliveInterval", report);
  }
}

}  // namespace

std::span<const DocumentRule> link_document_rules() {
  static constexpr DocumentRule list[] = {
      {"LinkConfig", check_link},        {"DummyLinkConfig", check_link},
      {"BridgeConfig", check_link},      {"BondConfig", check_bond_config},
      {"VLANConfig", check_vlan_config}, {"VethConfig", check_veth_config},
      {"VRFConfig", check_vrf_config},   {"WireguardConfig", check_wireguard_config},
  };
  return list;
}

}  // namespace ichor::validate
