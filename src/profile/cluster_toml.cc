#include "profile/cluster_toml.h"

#include <initializer_list>

#include "profile/cluster_template.h"
#include "profile/formats.h"
#include "profile/mapping_reader.h"
#include "profile/toml.h"

namespace ichor {

namespace {

constexpr std::string_view kIp = "an IP address such as 192.168.22.100";
constexpr std::string_view kCidr = "a network such as 192.168.20.0/22";

/// Keys that are known and not for us.
void know(MappingReader reader, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) reader.raw(key);
  reader.finish();
}

void read_network(MappingReader network, NetworkPlan& plan) {
  network.text("node_cidr", plan.node_cidr, Need::required, kCidr, is_cidr);
  network.texts("dns_servers", plan.nameservers, kIp, is_ip);
  network.texts("ntp_servers", plan.ntp, "a host name or an IP address",
                [](std::string& host) { return is_host(host); });
  network.text("default_gateway", plan.gateway, Need::optional, kIp, is_ip);
  if (const auto vlan = network.whole("vlan_tag", 1, 4094)) {
    plan.vlan = static_cast<std::uint16_t>(*vlan);
  }
  network.finish();
}

/// The address of the API.
std::string read_kubernetes(MappingReader kubernetes, NetworkPlan& plan, TemplateExtras& extras) {
  plan.pod_cidr = "10.42.0.0/16";
  plan.service_cidr = "10.43.0.0/16";
  kubernetes.text("pod_cidr", plan.pod_cidr, Need::optional, kCidr, is_cidr);
  kubernetes.text("svc_cidr", plan.service_cidr, Need::optional, kCidr, is_cidr);
  kubernetes.raw("coredns_addr");
  MappingReader api = kubernetes.section("api", Need::required);
  std::string address;
  api.text("addr", address, Need::required, kIp, is_ip);
  api.texts("tls_sans", extras.api_sans);
  api.finish();
  kubernetes.finish();
  return address;
}

void read_root(const yaml::Node& root, ReadingLog& log, ClusterProfile& profile,
               TemplateExtras& extras) {
  MappingReader reader(log, root, "");
  read_network(reader.section("network", Need::required), profile.network);
  const std::string api =
      read_kubernetes(reader.section("kubernetes", Need::required), profile.network, extras);
  settle_template(api, profile);
  MappingReader talos = reader.section("talos");
  talos.text("schematic_id", profile.talos.schematic_id, Need::optional,
             "a schematic ID of 64 hex digits", [](std::string& id) { return is_schematic(id); });
  talos.finish();
  read_template_nodes(reader, profile, extras);
  know(reader.section("gateways"), {"internal", "dns", "external"});
  know(reader.section("repository"), {"url", "branch", "webhook_provider", "known_hosts"});
  know(reader.section("domain"), {"name"});
  know(reader.section("dns"), {"provider", "token"});
  know(reader.section("ingress"), {"mode"});
  know(reader.section("spegel"), {"enabled"});
  MappingReader cilium = reader.section("cilium");
  know(cilium.section("bgp"), {"router_addr", "router_asn", "node_asn"});
  cilium.raw("loadbalancer_mode");
  cilium.finish();
  reader.finish_open();
}

}  // namespace

ProfileReading read_cluster_toml(std::string_view text, const std::string& file_name,
                                 const ReaderInputs& inputs) {
  ProfileReading reading;
  ReadingLog log;
  log.source = ProfileSource(file_name);
  if (const auto document = parse_toml(text, file_name)) {
    TemplateExtras extras;
    read_root(document->root, log, reading.profile, extras);
    reading.variables = document->root;
    read_template_versions(inputs, log, reading.profile);
    add_template_patches(extras, reading.profile);
  } else {
    log.add(document.error().at, "profile.syntax", document.error().what, "write it as TOML 1.0");
  }
  reading.findings = log.take();
  reading.source = std::move(log.source);
  return reading;
}

}  // namespace ichor
