#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

#include "base/ip.h"
#include "machineconfig/go_url.h"
#include "machineconfig/validate/address.h"
#include "machineconfig/validate/named.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_dhcp(const View& document, Report& report) {
  require_name(document, report);
  const View duid = document["duidRaw"];
  const bool wanted = document["clientIdentifier"].text() == "duid";
  if (!duid.empty() && !wanted) {
    report.error(duid, "duidRaw needs `clientIdentifier: duid`", "add that, or remove duidRaw");
  } else if (duid.empty() && wanted) {
    report.error(document["clientIdentifier"], "clientIdentifier duid needs duidRaw",
                 "add duidRaw");
  }
}

void check_layer2_vip(const View& document, Report& report) {
  require_address_name(document, report);
  require_text(document, "link", report);
}

void check_hcloud_vip(const View& document, Report& report) {
  check_layer2_vip(document, report);
  require_text(document, "apiToken", report);
}

void check_static_host(const View& document, Report& report) {
  require_address_name(document, report);
  if (document["hostnames"].count() == 0) {
    report.error(document, "hostnames are missing", "add `hostnames`");
  }
}

void check_hostname(const View& document, Report& report) {
  const View auto_kind = document["auto"];
  const View hostname = document["hostname"];
  const std::string kind = auto_kind ? auto_kind.text() : "off";
  // Talos 1.13 takes `auto: off` for an answer.
  const bool nothing = kind == "off" && (report.minor() < 13 || !auto_kind);
  if (nothing && hostname.empty()) {
    report.error(document, "HostnameConfig says neither auto nor hostname",
                 "add `hostname`, or `auto: stable`");
  }
  if (kind != "off" && !hostname.empty()) {
    report.error(hostname, "HostnameConfig cannot have both auto and hostname",
                 "write `auto: off`, or remove the hostname");
  }
  if (kind == "talos-addr") {
    report.error(auto_kind, "auto cannot be talos-addr here", "write `auto: stable`");
  }
  if (hostname.empty()) return;
  const std::string first = hostname.text().substr(0, hostname.text().find('.'));
  if (hostname.text().size() > 253) {
    report.error(hostname, "the hostname is longer than 253 characters", "shorten it");
  }
  if (first.empty() || first.size() > 63) {
    report.error(hostname, "the hostname must have 1 to 63 characters before the first dot",
                 "choose another one");
  }
}

void check_time_sync(const View& document, Report& report) {
  require_positive(document["bootTimeout"], "bootTimeout", report);
  if (document["ntp"] && document["ptp"]) {
    report.error(document["ptp"], "TimeSyncConfig cannot have both ntp and ptp",
                 "keep one of them");
  }
  if (!document["ntp"]["useNTS"].flag()) return;
  for (const View& server : document["ntp"]["servers"].items()) {
    if (!is_plain_ip(server.text())) continue;
    report.error(server, "NTS needs host names, not addresses",
                 "write the name that is in the server's certificate");
  }
}

void check_link_alias(const View& document, Report& report) {
  require_name(document, report);
  const View name = document["name"];
  const std::size_t percent = name.text().find('%');
  if (report.minor() >= 13 && percent != std::string::npos &&
      (percent == 0 || name.text().substr(percent) != "%d")) {
    report.error(name, "a name with a percent sign must end with %d", "write it as net%d");
  }
  const View match = document["selector"]["match"];
  if (match.empty()) {
    report.error(document, "selector.match is missing", "add an expression that selects the link");
  } else {
    report.expression(match, "selector.match", cel::Place::link_selector);
  }
}

struct PortRange {
  int first{0};
  int last{0};
};

PortRange range_of(const std::string& text) {
  const std::size_t dash = text.find('-');
  PortRange range;
  std::from_chars(text.data(), text.data() + text.size(), range.first);
  range.last = range.first;
  if (dash != std::string::npos) {
    std::from_chars(text.data() + dash + 1, text.data() + text.size(), range.last);
  }
  return range;
}

void check_ports(const View& ports, Report& report) {
  std::vector<std::pair<PortRange, View>> sorted;
  for (const View& port : ports.items()) sorted.emplace_back(range_of(port.text()), port);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first.first < b.first.first; });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto& [range, port] = sorted[i];
    if (range.first > range.last) {
      report.error(port, fmt::format("the range `{}` ends before it begins", port.text()),
                   "swap its ends");
    } else if (i > 0 && range.first <= sorted[i - 1].first.last) {
      report.error(port,
                   fmt::format("`{}` overlaps with `{}`", port.text(), sorted[i - 1].second.text()),
                   "list each port once");
    }
  }
}

void check_rule(const View& document, Report& report) {
  require_name(document, report);
  const View ports = document["portSelector"]["ports"];
  if (ports.count() == 0) {
    report.error(document, "portSelector.ports is missing", "add the ports");
  }
  check_ports(ports, report);
  for (const View& ingress : document["ingress"].items()) {
    if (!ingress["subnet"].empty()) continue;
    report.error(ingress, "an ingress rule has no subnet", "write `subnet: 10.0.0.0/8`");
  }
}

void check_kubespan_config(const View& document, Report& report) {
  const View mtu = document["mtu"];
  if (mtu && mtu.number() < 1280) {
    report.error(mtu, "KubeSpan needs an MTU of at least 1280", "raise it, or remove it");
  }
  for (const View& filter : document["filters"]["endpoints"].items()) {
    if (is_subnet_filter(filter.text())) continue;
    report.error(filter,
                 fmt::format("`{}` is not a network for KubeSpan's endpoints", filter.text()),
                 "write 10.0.0.0/8, or !10.0.0.0/8 to leave one out");
  }
}

void check_blackhole(const View& document, Report& report) {
  const View name = document["name"];
  if (is_cidr(name.text())) return;
  report.error(name, fmt::format("the name must be a network, not `{}`", name.text()),
               "write `name: 10.0.0.0/8`");
}

void check_routing_rule(const View& document, Report& report) {
  const View name = document["name"];
  const std::string& text = name.text();
  std::uint32_t priority = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), priority);
  const bool whole =
      !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!whole || priority == 0 || priority == 32500 || priority == 32766 || priority == 32767) {
    report.error(name, fmt::format("the name must be a free priority, not `{}`", text),
                 "write a number from 1 to 32765 other than 32500");
  }
  const std::string& action = document["action"].text();
  if (document["table"].empty() && (action.empty() || action == "unicast")) {
    report.error(document, "a routing rule needs a table", "add `table`, or another action");
  }
  if (document["fwMask"].number() != 0 && document["fwMark"].number() == 0) {
    report.error(document["fwMask"], "fwMask needs fwMark", "add fwMark");
  }
}

void check_resolver(const View& document, Report& report) {
  const View dns = document["hostDNS"];
  for (const char* const key : {"forwardKubeDNSToHost", "resolveMemberNames"}) {
    if (!dns[key].flag() || dns["enabled"].flag()) continue;
    report.error(dns[key], fmt::format("{} needs an enabled hostDNS", key),
                 "write `enabled: true`");
  }
  const std::vector<View> servers = document["nameservers"].items();
  std::size_t encrypted = 0;
  for (const View& server : servers) {
    const std::string& protocol = server["protocol"].text();
    const bool plain = protocol.empty() || protocol == "Do53";
    encrypted += plain ? 0 : 1;
    const View name = server["tlsServerName"];
    if (plain && !name.empty()) {
      report.error(name, "plain DNS has no tlsServerName", "write `protocol: DoT`, or remove it");
    } else if (!plain && name.empty()) {
      report.error(server, fmt::format("{} needs tlsServerName", protocol), "add it");
    }
    if (report.minor() >= 14 && server["address"].empty()) {
      report.error(server, "a nameserver has no address", "write `address: 10.0.0.1`");
    }
  }
  if (encrypted > 0 && encrypted == servers.size()) {
    report.warning(document["nameservers"],
                   "all nameservers are encrypted, which needs a correct clock first",
                   "keep one of plain DNS, or give the time servers by address");
  }
}

struct ImportedPrefix {
  Cidr cidr;
  std::size_t route;
};

void check_imports(const View& document, Report& report) {
  std::set<std::string> sources;
  std::vector<ImportedPrefix> seen;
  const std::vector<View> routes = document["importRoutes"].items();
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const View source = routes[i]["bgpInstance"];
    if (source.empty()) {
      report.error(routes[i], "a route to import names no bgpInstance", "add it");
    } else if (source.text() == document["name"].text()) {
      report.error(source, "an instance cannot import from itself", "name another one");
    } else if (!sources.insert(source.text()).second) {
      report.error(source, fmt::format("`{}` appears twice", source.text()), "merge the two");
    }
    const View prefixes = routes[i]["prefixes"];
    if (prefixes.count() == 0) {
      report.error(routes[i], "a route to import has no prefixes", "add them");
    }
    for (const View& prefix : prefixes.items()) {
      const auto cidr = parse_cidr(prefix.text());
      if (!cidr || first_of(*cidr) != cidr->address) {
        report.error(prefix, fmt::format("`{}` is not a network", prefix.text()),
                     "write it without host bits");
        continue;
      }
      const bool again = std::any_of(seen.begin(), seen.end(), [&](const ImportedPrefix& other) {
        return overlap(other.cidr, *cidr);
      });
      if (again) {
        report.error(prefix, fmt::format("`{}` overlaps with another one", prefix.text()),
                     "list each network once");
      }
      seen.push_back({*cidr, i});
    }
  }
}

void check_bgp(const View& document, Report& report) {
  require_name(document, report);
  if (document["localASN"].number() == 0) {
    report.error(document, "localASN is missing", "add it");
  }
  const View id = document["routerID"];
  if (!id.empty() && id.text().find(':') != std::string::npos) {
    report.error(id, "routerID must be an IPv4 address", "write it as 10.0.0.1");
  }
  const View neighbors = document["neighbors"];
  if (neighbors.count() == 0) {
    report.warning(document, "the instance has no neighbors", "add them");
  }
  std::set<std::string> names;
  for (const View& neighbor : neighbors.items()) {
    const View address = neighbor["address"];
    const View link = neighbor["link"];
    if (address.empty() == link.empty()) {
      report.error(neighbor, "a neighbor needs either address or link", "keep one of them");
    } else if (const View name = address.empty() ? link : address;
               !names.insert(name.text()).second) {
      report.error(name, fmt::format("the neighbor `{}` appears twice", name.text()),
                   "remove one of them");
    }
    require_positive(neighbor["holdTime"], "holdTime", report);
    const View bfd = neighbor["bfd"];
    if (bfd && !document["vrf"].empty()) {
      report.error(bfd, "BFD does not work in a VRF", "remove it");
    }
    require_positive(bfd["transmitInterval"], "transmitInterval", report);
    require_positive(bfd["receiveInterval"], "receiveInterval", report);
  }
  check_imports(document, report);
}

void check_probe_times(const View& document, Report& report) {
  require_positive(document["timeout"], "timeout", report);
  require_positive(document["interval"], "interval", report);
  if (document["failureThreshold"].number() < 0) {
    report.error(document["failureThreshold"], "failureThreshold cannot be below zero",
                 "write a number from 0 on");
  }
}

void check_http_probe(const View& document, Report& report) {
  require_name(document, report);
  const View value = document["url"];
  const auto url = parse_go_url(value.text());
  const bool web = url && (url->scheme == "http" || url->scheme == "https");
  if (value.empty() || !web || url->host.empty() || url->host.starts_with(':')) {
    report.error(value.empty() ? document : value, "`url` is not the address of a web server",
                 "write https://HOST/PATH");
  }
  check_probe_times(document, report);
}

void check_tcp_probe(const View& document, Report& report) {
  require_name(document, report);
  require_text(document, "endpoint", report);
  check_probe_times(document, report);
}

}  // namespace

std::span<const DocumentRule> network_document_rules() {
  static constexpr DocumentRule list[] = {
      {"BGPInstanceConfig", check_bgp},
      {"BlackholeRouteConfig", check_blackhole},
      {"DHCPv4Config", check_dhcp},
      {"DHCPv6Config", check_dhcp},
      {"EthernetConfig", require_name},
      {"HCloudVIPConfig", check_hcloud_vip},
      {"HTTPProbeConfig", check_http_probe},
      {"HostnameConfig", check_hostname},
      {"KubeSpanConfig", check_kubespan_config},
      {"Layer2VIPConfig", check_layer2_vip},
      {"LinkAliasConfig", check_link_alias},
      {"NetworkRuleConfig", check_rule},
      {"ResolverConfig", check_resolver},
      {"RoutingRuleConfig", check_routing_rule},
      {"StaticHostConfig", check_static_host},
      {"TCPProbeConfig", check_tcp_probe},
      {"TimeSyncConfig", check_time_sync},
  };
  return list;
}

}  // namespace ichor::validate
