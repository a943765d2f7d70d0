#include "lab/status.h"

#include <nlohmann/json.hpp>

namespace ichor::lab {

namespace {

using nlohmann::json;

json to_value(const NodeReport& node) {
  return {{"name", node.name.value()},
          {"address", node.address.value()},
          {"loopback", node.loopback.value()},
          {"stage", std::string(name_of(node.stage))},
          {"ready", node.ready},
          {"port", node.port},
          {"fingerprint", node.fingerprint},
          {"hostname", node.hostname},
          {"installed", node.installed},
          {"etcd_member", node.etcd_member},
          {"faults", node.faults}};
}

Stage stage_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Stage::upgrading); ++i) {
    if (name_of(static_cast<Stage>(i)) == name) return static_cast<Stage>(i);
  }
  return Stage::unknown;
}

NodeReport node_from(const json& value) {
  NodeReport node;
  node.name = NodeName(value.value("name", ""));
  node.address = IpAddress(value.value("address", ""));
  node.loopback = IpAddress(value.value("loopback", ""));
  node.stage = stage_named(value.value("stage", ""));
  node.ready = value.value("ready", false);
  node.port = value.value("port", "");
  node.fingerprint = value.value("fingerprint", "");
  node.hostname = value.value("hostname", "");
  node.installed = value.value("installed", false);
  node.etcd_member = value.value("etcd_member", false);
  node.faults = value.value("faults", std::vector<std::string>());
  return node;
}

}  // namespace

std::string to_json(const LabStatus& status) {
  json nodes = json::array();
  for (const NodeReport& node : status.nodes) nodes.push_back(to_value(node));
  const json value = {{"pid", status.pid},
                      {"state_dir", status.state_dir},
                      {"time_scale", status.time_scale},
                      {"talos_version", status.talos_version},
                      {"nodes", std::move(nodes)},
                      {"etcd_clusters", status.etcd_clusters},
                      {"kubernetes_api", status.kubernetes_api},
                      {"mutations", status.mutations}};
  return value.dump();
}

LabStatus status_from_json(const std::string& text) {
  LabStatus status;
  const json value = json::parse(text, nullptr, false);
  if (!value.is_object()) return status;
  status.pid = value.value("pid", std::int64_t{0});
  status.state_dir = value.value("state_dir", "");
  status.time_scale = value.value("time_scale", 1.0);
  status.talos_version = value.value("talos_version", "");
  for (const json& node : value.value("nodes", json::array())) {
    status.nodes.push_back(node_from(node));
  }
  status.etcd_clusters = value.value("etcd_clusters", std::vector<std::string>());
  status.kubernetes_api = value.value("kubernetes_api", "");
  status.mutations = value.value("mutations", std::uint64_t{0});
  return status;
}

}  // namespace ichor::lab
