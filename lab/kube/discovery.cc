#include "lab/kube/discovery.h"

#include "lab/kube/resources.h"

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

json resource_list(const std::string& group) {
  json resources = json::array();
  for (const KubeResource& resource : kube_resources()) {
    if (resource.group != group) continue;
    json entry = {{"name", resource.plural},
                  {"singularName", resource.singular},
                  {"namespaced", resource.namespaced},
                  {"kind", resource.kind},
                  {"verbs", {"get", "list", "watch"}}};
    if (!resource.short_names.empty()) entry["shortNames"] = split(resource.short_names);
    const bool in_all = resource.plural == "pods" || resource.plural == "services" ||
                        resource.group == "apps" || resource.plural == "replicationcontrollers";
    if (in_all) entry["categories"] = {"all"};
    resources.push_back(std::move(entry));
  }
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", group.empty() ? "v1" : group + "/v1"},
          {"resources", std::move(resources)}};
}

json apps_group() {
  const json version = {{"groupVersion", "apps/v1"}, {"version", "v1"}};
  return {{"name", "apps"}, {"versions", {version}}, {"preferredVersion", version}};
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

std::optional<json> discovery_document(const std::string& path, const std::string& version) {
  if (path == "/version") return version_document(version);
  if (path == "/api") {
    return json{{"kind", "APIVersions"},
                {"versions", {"v1"}},
                {"serverAddressByClientCIDRs", json::array()}};
  }
  if (path == "/apis") {
    return json{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", {apps_group()}}};
  }
  if (path == "/apis/apps") {
    json group = apps_group();
    group["kind"] = "APIGroup";
    group["apiVersion"] = "v1";
    return group;
  }
  if (path == "/api/v1") return resource_list("");
  if (path == "/apis/apps/v1") return resource_list("apps");
  if (path == "/openapi/v2") {
    return json{{"swagger", "2.0"},
                {"info", {{"title", "Kubernetes"}, {"version", version}}},
                {"paths", json::object()},
                {"definitions", json::object()}};
  }
  if (path == "/openapi/v3") return json{{"paths", json::object()}};
  if (path == "/") {
    return json{{"paths",
                 {"/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/healthz", "/livez",
                  "/openapi/v2", "/openapi/v3", "/readyz", "/version"}}};
  }
  return std::nullopt;
}

}  // namespace ichor::lab
