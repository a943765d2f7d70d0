#include "kube/discovery.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "model/json.h"

namespace ichor {

namespace {

bool same_name(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

bool is_called(const nlohmann::json& resource, std::string_view name) {
  for (const char* key : {"kind", "name", "singularName"}) {
    const std::string known = text_in(resource, key);
    if (!known.empty() && same_name(known, name)) return true;
  }
  const auto shorts = resource.find("shortNames");
  return shorts != resource.end() && shorts->is_array() &&
         std::any_of(shorts->begin(), shorts->end(), [&](const nlohmann::json& known) {
           return known.is_string() && same_name(known.get<std::string>(), name);
         });
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (std::isalnum(code) != 0 || std::string_view("-._~").find(byte) != std::string_view::npos) {
      result += byte;
    } else {
      result += fmt::format("%{:02X}", code);
    }
  }
  return result;
}

}  // namespace

std::optional<KubeResource> find_resource(const nlohmann::json& resource_list,
                                          std::string_view name) {
  if (!resource_list.is_object()) return std::nullopt;
  const auto resources = resource_list.find("resources");
  if (resources == resource_list.end() || !resources->is_array()) return std::nullopt;
  for (const nlohmann::json& resource : *resources) {
    if (!resource.is_object()) continue;
    const std::string plural = text_in(resource, "name");
    if (plural.empty() || plural.find('/') != std::string::npos) continue;
    if (!is_called(resource, name)) continue;
    KubeResource found;
    found.kind = kind_of(text_in(resource_list, "groupVersion"), text_in(resource, "kind"));
    found.plural = plural;
    const auto namespaced = resource.find("namespaced");
    found.namespaced = namespaced != resource.end() && namespaced->is_boolean() && *namespaced;
    return found;
  }
  return std::nullopt;
}

std::vector<std::string> versions_of(const nlohmann::json& group) {
  std::vector<std::string> versions;
  if (!group.is_object()) return versions;
  const auto preferred = group.find("preferredVersion");
  if (preferred != group.end() && preferred->is_object()) {
    versions.push_back(text_in(*preferred, "version"));
  }
  const auto all = group.find("versions");
  if (all == group.end() || !all->is_array()) return versions;
  for (const nlohmann::json& version : *all) {
    const std::string name = text_in(version, "version");
    if (!name.empty() && std::find(versions.begin(), versions.end(), name) == versions.end()) {
      versions.push_back(name);
    }
  }
  return versions;
}

std::string group_version_path(const std::string& group, const std::string& version) {
  return group.empty() ? "/api/" + version : fmt::format("/apis/{}/{}", group, version);
}

std::string path_of(const KubeResource& resource, const std::string& name_space,
                    const std::string& name) {
  std::string path = group_version_path(resource.kind.group, resource.kind.version);
  if (resource.namespaced && !name_space.empty()) path += "/namespaces/" + escaped(name_space);
  path += "/" + resource.plural;
  if (!name.empty()) path += "/" + escaped(name);
  return path;
}

std::string query_text(const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters) {
    if (value.empty()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "?" : "&", key, escaped(value));
  }
  return text;
}

}  // namespace ichor
