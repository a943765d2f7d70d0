#include "lab/kube/table.h"

#include <cstdio>
#include <ctime>
#include <fmt/format.h>

namespace ichor::lab {

namespace {

using nlohmann::json;
using Cells = json (*)(const json& object, const std::string& age);

struct Column {
  const char* name;
  const char* type;  // "string", "integer"
  bool wide;         // shown by -o wide only
};

struct Form {
  std::vector<Column> columns;
  Cells cells;
};

std::int64_t parse_time(const std::string& text) {
  std::tm parts{};
  if (std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%d", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
                  &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6) {
    return 0;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return ::timegm(&parts);
}

std::string text_at(const json& object, const char* pointer, const char* fallback = "<none>") {
  const json::json_pointer path(pointer);
  if (!object.contains(path) || !object.at(path).is_string()) return fallback;
  return object.at(path).get<std::string>();
}

int number_at(const json& object, const char* pointer) {
  const json::json_pointer path(pointer);
  return object.contains(path) ? object.at(path).get<int>() : 0;
}

std::string condition_status(const json& object, const char* type) {
  for (const json& condition :
       object.value(json::json_pointer("/status/conditions"), json::array())) {
    if (condition.value("type", "") == type) return condition.value("status", "Unknown");
  }
  return "Unknown";
}

json node_cells(const json& node, const std::string& age) {
  const std::string ready = condition_status(node, "Ready");
  std::string roles;
  const json labels = node["metadata"].value("labels", json::object());
  for (const auto& [label, value] : labels.items()) {
    constexpr std::string_view prefix = "node-role.kubernetes.io/";
    if (!label.starts_with(prefix)) continue;
    roles += (roles.empty() ? "" : ",") + label.substr(prefix.size());
  }
  return {text_at(node, "/metadata/name"),
          ready == "True" ? "Ready" : "NotReady",
          roles.empty() ? "<none>" : roles,
          age,
          text_at(node, "/status/nodeInfo/kubeletVersion"),
          text_at(node, "/status/addresses/0/address"),
          "<none>",
          text_at(node, "/status/nodeInfo/osImage"),
          text_at(node, "/status/nodeInfo/kernelVersion"),
          text_at(node, "/status/nodeInfo/containerRuntimeVersion")};
}

json pod_cells(const json& pod, const std::string& age) {
  const bool ready = condition_status(pod, "Ready") == "True";
  return {text_at(pod, "/metadata/name"),
          ready ? "1/1" : "0/1",
          text_at(pod, "/status/phase"),
          "0",
          age,
          text_at(pod, "/status/podIP"),
          text_at(pod, "/spec/nodeName"),
          "<none>",
          "<none>"};
}

json namespace_cells(const json& space, const std::string& age) {
  return {text_at(space, "/metadata/name"), text_at(space, "/status/phase"), age};
}

json service_cells(const json& service, const std::string& age) {
  std::string ports;
  for (const json& port : service["spec"].value("ports", json::array())) {
    ports += fmt::format("{}{}/{}", ports.empty() ? "" : ",", port.value("port", 0),
                         port.value("protocol", "TCP"));
  }
  return {text_at(service, "/metadata/name"),
          text_at(service, "/spec/type"),
          text_at(service, "/spec/clusterIP"),
          "<none>",
          ports,
          age,
          "<none>"};
}

json deployment_cells(const json& deployment, const std::string& age) {
  const int ready = number_at(deployment, "/status/readyReplicas");
  return {text_at(deployment, "/metadata/name"),
          fmt::format("{}/{}", ready, number_at(deployment, "/spec/replicas")),
          number_at(deployment, "/status/updatedReplicas"),
          number_at(deployment, "/status/availableReplicas"), age};
}

json daemon_set_cells(const json& set, const std::string& age) {
  return {text_at(set, "/metadata/name"),
          number_at(set, "/status/desiredNumberScheduled"),
          number_at(set, "/status/currentNumberScheduled"),
          number_at(set, "/status/numberReady"),
          number_at(set, "/status/updatedNumberScheduled"),
          number_at(set, "/status/numberAvailable"),
          "<none>",
          age};
}

json plain_cells(const json& object, const std::string& age) {
  return {text_at(object, "/metadata/name"), age};
}

Form form_of(std::string_view plural) {
  const Column name{"Name", "string", false};
  const Column age{"Age", "string", false};
  if (plural == "nodes") {
    return {{name,
             {"Status", "string", false},
             {"Roles", "string", false},
             age,
             {"Version", "string", false},
             {"Internal-IP", "string", true},
             {"External-IP", "string", true},
             {"OS-Image", "string", true},
             {"Kernel-Version", "string", true},
             {"Container-Runtime", "string", true}},
            node_cells};
  }
  if (plural == "pods") {
    return {{name,
             {"Ready", "string", false},
             {"Status", "string", false},
             {"Restarts", "string", false},
             age,
             {"IP", "string", true},
             {"Node", "string", true},
             {"Nominated Node", "string", true},
             {"Readiness Gates", "string", true}},
            pod_cells};
  }
  if (plural == "namespaces") return {{name, {"Status", "string", false}, age}, namespace_cells};
  if (plural == "services") {
    return {{name,
             {"Type", "string", false},
             {"Cluster-IP", "string", false},
             {"External-IP", "string", false},
             {"Port(s)", "string", false},
             age,
             {"Selector", "string", true}},
            service_cells};
  }
  if (plural == "deployments") {
    return {{name,
             {"Ready", "string", false},
             {"Up-to-date", "string", false},
             {"Available", "string", false},
             age},
            deployment_cells};
  }
  if (plural == "daemonsets") {
    return {{name,
             {"Desired", "integer", false},
             {"Current", "integer", false},
             {"Ready", "integer", false},
             {"Up-to-date", "integer", false},
             {"Available", "integer", false},
             {"Node Selector", "string", false},
             age},
            daemon_set_cells};
  }
  return {{name, age}, plain_cells};
}

}  // namespace

std::string human_age(std::int64_t seconds) {
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) {
    return seconds % 60 == 0 ? fmt::format("{}m", minutes)
                             : fmt::format("{}m{}s", minutes, seconds % 60);
  }
  if (minutes < 180) return fmt::format("{}m", minutes);
  const std::int64_t hours = minutes / 60;
  if (hours < 8) {
    return minutes % 60 == 0 ? fmt::format("{}h", hours)
                             : fmt::format("{}h{}m", hours, minutes % 60);
  }
  if (hours < 48) return fmt::format("{}h", hours);
  return fmt::format("{}d", hours / 24);
}

json to_table(std::string_view plural, const std::vector<json>& objects, const std::string& version,
              WallTime now, bool whole_objects) {
  const Form form = form_of(plural);
  json columns = json::array();
  for (const Column& column : form.columns) {
    columns.push_back({{"name", column.name},
                       {"type", column.type},
                       {"format", std::string_view(column.name) == "Name" ? "name" : ""},
                       {"description", column.name},
                       {"priority", column.wide ? 1 : 0}});
  }
  json rows = json::array();
  for (const json& object : objects) {
    const std::int64_t born = parse_time(object["metadata"].value("creationTimestamp", ""));
    json part = object;
    if (!whole_objects) {
      part = {{"kind", "PartialObjectMetadata"},
              {"apiVersion", "meta.k8s.io/v1"},
              {"metadata", object["metadata"]}};
    }
    rows.push_back({{"cells", form.cells(object, human_age(now.unix_ms / 1000 - born))},
                    {"object", std::move(part)}});
  }
  return {{"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", {{"resourceVersion", version}}},
          {"columnDefinitions", std::move(columns)},
          {"rows", std::move(rows)}};
}

}  // namespace ichor::lab
