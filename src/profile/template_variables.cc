#include "profile/template_variables.h"

#include <fmt/format.h>

#include "profile/template_values.h"

namespace ichor {

namespace {

using jinja::Value;

void put(const Value& dict, std::string_view name, Value value) {
  dict.as_dict()->put(Value::string(std::string(name)), std::move(value));
}

/// What the profile does not say stays undefined, so that a template that needs it fails.
void put_text(const Value& dict, std::string_view name, const std::string& text) {
  if (!text.empty()) put(dict, name, Value::string(text));
}

Value texts(const std::vector<std::string>& list) {
  jinja::Items items;
  for (const std::string& text : list) items.push_back(Value::string(text));
  return Value::list(std::move(items));
}

std::string version_text(const TalosVersion& version) {
  return fmt::format("v{}.{}.{}", version.major, version.minor, version.patch);
}

}  // namespace

Value node_variable(const NodePlan& node) {
  Value dict = Value::dict();
  put_text(dict, "name", node.name.value());
  put_text(dict, "ip", node.address.value());
  put_text(dict, "mac", node.mac.value());
  put_text(dict, "interface", node.interface);
  put_text(dict, "disk", node.disk);
  put(dict, "controlplane", Value::boolean(node.role == Role::control_plane));
  return dict;
}

tl::expected<Value, yaml::SyntaxError> template_variables(const ClusterProfile& profile,
                                                          const yaml::Node& variables,
                                                          const std::string& file) {
  Value dict = Value::dict();
  const NetworkPlan& network = profile.network;
  put_text(dict, "cluster_name", profile.name);
  put_text(dict, "api_endpoint", network.api_endpoint);
  put_text(dict, "node_cidr", network.node_cidr);
  put_text(dict, "gateway", network.gateway);
  if (network.vlan) put(dict, "vlan", Value::integer(*network.vlan));
  put_text(dict, "pod_cidr", network.pod_cidr);
  put_text(dict, "service_cidr", network.service_cidr);
  put(dict, "nameservers", texts(network.nameservers));
  put(dict, "ntp", texts(network.ntp));
  put_text(dict, "dns_domain", network.dns_domain);
  put_text(dict, "vip", network.vip);
  put_text(dict, "talos_version", version_text(profile.talos.version));
  put_text(dict, "kubernetes_version", profile.talos.kubernetes_version);
  put_text(dict, "schematic_id", profile.talos.schematic_id);
  jinja::Items nodes;
  for (const NodePlan& node : profile.nodes) nodes.push_back(node_variable(node));
  put(dict, "nodes", Value::list(std::move(nodes)));
  if (!variables.is_mapping()) return dict;
  auto own = template_value(variables, file);
  if (!own) return own;
  for (const auto& [key, value] : own->as_dict()->entries()) dict.as_dict()->put(key, value);
  return dict;
}

jinja::Options patch_template_options(std::string_view text) {
  jinja::Options options;
  const bool makejinja =
      text.find("#%") != std::string_view::npos || text.find("#{") != std::string_view::npos;
  if (makejinja) {
    options.syntax.delimiters = jinja::makejinja_delimiters();
    options.syntax.trim_blocks = true;
    options.syntax.lstrip_blocks = true;
  }
  options.syntax.keep_trailing_newline = true;
  return options;
}

}  // namespace ichor
