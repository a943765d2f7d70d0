#include "lab/kube/discovery.h"

#include <algorithm>
#include <map>
#include <vector>

#include "lab/kube/resources.h"
#include "phase/kubernetes/json_view.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

json split(std::string_view text) {
  json parts = json::array();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Names that a CustomResourceDefinition gives; null for kinds that are built in.
const json& names_in_crd(const sim::ApiServer& api, const ichor::KubeResource& resource) {
  static const json none;
  const json* crd = api.find({{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
                              "",
                              resource.plural + "." + resource.kind.group});
  return crd ? at(*crd, {"spec", "names"}) : none;
}

json resource_entry(const sim::ApiServer& api, const ichor::KubeResource& resource) {
  json entry = {{"name", resource.plural},
                {"singularName", ""},
                {"namespaced", resource.namespaced},
                {"kind", resource.kind.kind},
                {"verbs", {"create", "delete", "get", "list", "patch", "update", "watch"}}};
  if (const KubeResource* known = find_resource(resource.kind.group, resource.plural)) {
    entry["singularName"] = known->singular;
    if (!known->short_names.empty()) entry["shortNames"] = split(known->short_names);
    const bool in_all = known->plural == "pods" || known->plural == "services" ||
                        known->group == "apps" || known->plural == "replicationcontrollers";
    if (in_all) entry["categories"] = {"all"};
    return entry;
  }
  const json& names = names_in_crd(api, resource);
  const std::string singular = text_at(names, {"singular"});
  entry["singularName"] = singular;
  const json& shorts = at(names, {"shortNames"});
  if (shorts.is_array()) entry["shortNames"] = shorts;
  return entry;
}

json resource_list(const sim::ApiServer& api, const std::string& group,
                   const std::string& version) {
  json resources = json::array();
  for (const ichor::KubeResource* resource : api.all_served()) {
    if (resource->kind.group != group || resource->kind.version != version) continue;
    resources.push_back(resource_entry(api, *resource));
    if (!has_status(api, *resource)) continue;
    json status = resources.back();
    status["name"] = resource->plural + "/status";
    status["verbs"] = {"get", "patch", "update"};
    status.erase("shortNames");
    status.erase("categories");
    resources.push_back(std::move(status));
  }
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", group.empty() ? version : group + "/" + version},
          {"resources", std::move(resources)}};
}

/// Versions of each group but the core's, in the order in which they came.
std::map<std::string, std::vector<std::string>> groups_of(const sim::ApiServer& api) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const ichor::KubeResource* resource : api.all_served()) {
    if (resource->kind.group.empty()) continue;
    std::vector<std::string>& versions = groups[resource->kind.group];
    const std::string& version = resource->kind.version;
    if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
      versions.push_back(version);
    }
  }
  return groups;
}

json group_document(const std::string& name, const std::vector<std::string>& versions) {
  json list = json::array();
  for (const std::string& version : versions) {
    list.push_back({{"groupVersion", name + "/" + version}, {"version", version}});
  }
  const json preferred = list.front();
  return {{"name", name}, {"versions", std::move(list)}, {"preferredVersion", preferred}};
}

/// /apis/GROUP and /apis/GROUP/VERSION.
std::optional<json> group_answer(const std::string& path, const sim::ApiServer& api) {
  for (const auto& [name, versions] : groups_of(api)) {
    if (path == "/apis/" + name) {
      json group = group_document(name, versions);
      group["kind"] = "APIGroup";
      group["apiVersion"] = "v1";
      return group;
    }
    for (const std::string& version : versions) {
      if (path == "/apis/" + name + "/" + version) return resource_list(api, name, version);
    }
  }
  return std::nullopt;
}

json version_document(const std::string& version) {
  const std::size_t dot = version.find('.');
  const std::size_t second = version.find('.', dot + 1);
  return {{"major", version.substr(1, dot - 1)},
          {"minor", version.substr(dot + 1, second - dot - 1)},
          {"gitVersion", version},
          {"gitCommit", std::string(40, '0')},
          {"gitTreeState", "clean"},
          {"buildDate", "2026-01-01T00:00:00Z"},
          {"goVersion", "go1.25.7"},
          {"compiler", "gc"},
          {"platform", "linux/amd64"}};
}

}  // namespace

std::optional<json> discovery_document(const std::string& path, const KubeCluster& cluster) {
  const sim::ApiServer& api = cluster.api();
  if (path == "/version") return version_document(cluster.version());
  if (path == "/api") {
    return json{{"kind", "APIVersions"},
                {"versions", {"v1"}},
                {"serverAddressByClientCIDRs", json::array()}};
  }
  if (path == "/apis") {
    json groups = json::array();
    for (const auto& [name, versions] : groups_of(api)) {
      groups.push_back(group_document(name, versions));
    }
    return json{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
  }
  if (path == "/api/v1") return resource_list(api, "", "v1");
  if (path == "/openapi/v2") {
    return json{{"swagger", "2.0"},
                {"info", {{"title", "Kubernetes"}, {"version", cluster.version()}}},
                {"paths", json::object()},
                {"definitions", json::object()}};
  }
  if (path == "/openapi/v3") return json{{"paths", json::object()}};
  if (path == "/") {
    json paths = {"/api",        "/api/v1",     "/apis",   "/healthz", "/livez",
                  "/openapi/v2", "/openapi/v3", "/readyz", "/version"};
    for (const auto& [name, versions] : groups_of(api)) paths.push_back("/apis/" + name);
    return json{{"paths", std::move(paths)}};
  }
  return group_answer(path, api);
}

}  // namespace ichor::lab
