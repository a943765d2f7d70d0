#include "profile/cluster_yaml.h"

#include <fmt/format.h>

#include "base/ip.h"
#include "profile/cluster_template.h"
#include "profile/formats.h"
#include "profile/mapping_reader.h"
#include "yaml/build.h"
#include "yaml/document.h"

namespace ichor {

namespace {

constexpr std::string_view kIp = "an IP address such as 192.168.22.100";
constexpr std::string_view kCidr = "a network such as 192.168.20.0/22";

void read_cluster(const yaml::Node& root, ReadingLog& log, ClusterProfile& profile,
                  TemplateExtras& extras) {
  MappingReader reader(log, root, "");
  NetworkPlan& plan = profile.network;
  plan.pod_cidr = "10.42.0.0/16";
  plan.service_cidr = "10.43.0.0/16";
  reader.text("node_cidr", plan.node_cidr, Need::required, kCidr, is_cidr);
  reader.texts("node_dns_servers", plan.nameservers, kIp, is_ip);
  reader.texts("node_ntp_servers", plan.ntp, "a host name or an IP address",
               [](std::string& host) { return is_host(host); });
  reader.text("node_default_gateway", plan.gateway, Need::optional, kIp, is_ip);
  std::string vlan;
  reader.text("node_vlan_tag", vlan, Need::optional, "a VLAN from 1 to 4094",
              [&plan](std::string& text) {
                yaml::Node number;
                number.kind = yaml::Kind::scalar;
                number.text = text;
                const auto tag = number.as_int();
                if (!tag || *tag < 1 || *tag > 4094) return false;
                plan.vlan = static_cast<std::uint16_t>(*tag);
                return true;
              });
  std::string api;
  reader.text("cluster_api_addr", api, Need::required, kIp, is_ip);
  reader.text("cluster_pod_cidr", plan.pod_cidr, Need::optional, kCidr, is_cidr);
  reader.text("cluster_svc_cidr", plan.service_cidr, Need::optional, kCidr, is_cidr);
  reader.texts("cluster_api_tls_sans", extras.api_sans);
  settle_template(api, profile);
  for (const std::string_view key :
       {"cluster_dns_gateway_addr", "cluster_gateway_addr", "repository_name", "repository_branch",
        "repository_visibility", "cloudflare_domain", "cloudflare_token", "cloudflare_gateway_addr",
        "cilium_loadbalancer_mode", "cilium_bgp_router_addr", "cilium_bgp_router_asn",
        "cilium_bgp_node_asn"}) {
    reader.raw(key);
  }
  reader.finish_open();
}

/// What cluster-template takes where the file says nothing.
void take_defaults(ClusterProfile& profile, yaml::Node& variables) {
  NetworkPlan& plan = profile.network;
  if (plan.nameservers.empty()) plan.nameservers = {"1.1.1.1", "1.0.0.1"};
  if (plan.ntp.empty()) plan.ntp = {"162.159.200.1", "162.159.200.123"};
  if (const auto network = parse_cidr(plan.node_cidr); network && plan.gateway.empty()) {
    Ip gateway = first_of(*network);
    gateway.bytes[gateway.v6 ? 15 : 3] += 1;
    plan.gateway = to_text(gateway);
  }
  const auto add = [&](std::string_view name, yaml::Node value) {
    if (variables.find(name) != nullptr) return;
    variables.entries.push_back({yaml::make_string(name), std::move(value)});
  };
  add("node_default_gateway", yaml::make_string(plan.gateway));
  add("node_dns_servers", yaml::list(plan.nameservers));
  add("node_ntp_servers", yaml::list(plan.ntp));
  add("cluster_pod_cidr", yaml::make_string(plan.pod_cidr));
  add("cluster_svc_cidr", yaml::make_string(plan.service_cidr));
}

std::vector<Finding> read_nodes(const ReaderInputs& inputs, const std::string& file_name,
                                ClusterProfile& profile, TemplateExtras& extras) {
  const std::string path = file_name.substr(0, file_name.rfind('/') + 1) + "nodes.yaml";
  ReadingLog log;
  log.source = ProfileSource(path);
  const auto text = inputs.file("nodes.yaml");
  if (!text || !*text) {
    log.add({1, 1}, "profile.missing",
            text ? fmt::format("there is no {}", path) : text.error().message,
            "put nodes.yaml beside cluster.yaml");
    return log.take();
  }
  const auto document = yaml::parse_single(**text, path);
  if (!document) {
    log.add(document.error().at, "profile.syntax", document.error().what, "write it as YAML");
    return log.take();
  }
  MappingReader reader(log, document->root, "");
  read_template_nodes(reader, profile, extras);
  reader.finish();
  return log.take();
}

}  // namespace

ProfileReading read_cluster_yaml(std::string_view text, const std::string& file_name,
                                 const ReaderInputs& inputs) {
  ProfileReading reading;
  ReadingLog log;
  log.source = ProfileSource(file_name);
  TemplateExtras extras;
  if (const auto document = yaml::parse_single(text, file_name)) {
    read_cluster(document->root, log, reading.profile, extras);
    reading.variables = document->root;
    if (reading.variables.is_mapping()) take_defaults(reading.profile, reading.variables);
    read_template_versions(inputs, log, reading.profile);
  } else {
    log.add(document.error().at, "profile.syntax", document.error().what, "write it as YAML");
  }
  reading.findings = log.take();
  for (Finding& finding : read_nodes(inputs, file_name, reading.profile, extras)) {
    reading.findings.push_back(std::move(finding));
  }
  add_template_patches(extras, reading.profile);
  reading.source = std::move(log.source);
  return reading;
}

}  // namespace ichor
