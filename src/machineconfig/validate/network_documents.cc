#include <algorithm>
#include <charconv>
#include <fmt/format.h>

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
    report.error(filter, fmt::format("`{}` is no network for KubeSpan's endpoints", filter.text()),
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

void check_tcp_probe(const View& document, Report& report) {
  require_name(document, report);
  require_text(document, "endpoint", report);
  require_positive(document["timeout"], "timeout", report);
  require_positive(document["interval"], "interval", report);
  if (document["failureThreshold"].number() < 0) {
    report.error(document["failureThreshold"], "failureThreshold cannot be below zero",
                 "write a number from 0 on");
  }
}

}  // namespace

const std::vector<DocumentRule>& network_document_rules() {
  static const std::vector<DocumentRule> list = {
      {"BlackholeRouteConfig", check_blackhole},
      {"DHCPv4Config", check_dhcp},
      {"DHCPv6Config", check_dhcp},
      {"EthernetConfig", require_name},
      {"HCloudVIPConfig", check_hcloud_vip},
      {"HostnameConfig", check_hostname},
      {"KubeSpanConfig", check_kubespan_config},
      {"Layer2VIPConfig", check_layer2_vip},
      {"LinkAliasConfig", check_link_alias},
      {"NetworkRuleConfig", check_rule},
      {"RoutingRuleConfig", check_routing_rule},
      {"StaticHostConfig", check_static_host},
      {"TCPProbeConfig", check_tcp_probe},
      {"TimeSyncConfig", check_time_sync},
  };
  return list;
}

}  // namespace ichor::validate
