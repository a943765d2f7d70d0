#include "profile/role_folders.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string_view>

#include "profile/formats.h"

namespace ichor {

namespace {

Finding finding_at(std::string where, std::string what, std::string fix) {
  Finding finding;
  finding.id = "profile.value";
  finding.where = std::move(where);
  finding.what = std::move(what);
  finding.fix = std::move(fix);
  return finding;
}

/// Files that belong to the cluster as a whole.
bool is_no_node(std::string_view name) {
  constexpr std::array<std::string_view, 7> known = {
      "secrets", "variables", "talsecret", "talenv", "talconfig", "schematic", "kustomization"};
  return std::find(known.begin(), known.end(), name) != known.end();
}

}  // namespace

std::vector<RoleFile> read_role_folders(const std::string& folder,
                                        const std::vector<std::string>& files,
                                        std::vector<Finding>& findings) {
  std::vector<RoleFile> nodes;
  std::map<std::string, std::string> seen;
  for (const std::string& file : files) {
    std::string_view name = file;
    Role role = Role::control_plane;
    if (name.starts_with("controlplane/")) {
      name.remove_prefix(std::string_view("controlplane/").size());
    } else if (name.starts_with("worker/")) {
      name.remove_prefix(std::string_view("worker/").size());
      role = Role::worker;
    }
    const bool yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    if (!yaml || name.find('/') != std::string_view::npos) continue;
    name = name.substr(0, name.rfind('.'));
    if (name.ends_with(".sops")) name.remove_suffix(std::string_view(".sops").size());
    if (is_no_node(name)) continue;
    const std::string node(name);
    const std::string where = fmt::format("{}/{}:1:1", folder, file);
    if (!is_name(node)) {
      findings.push_back(finding_at(where, fmt::format("`{}` is not the name of a node", node),
                                    "name the file after its node: a-z, 0-9, - and ."));
      continue;
    }
    const auto [other, fresh] = seen.emplace(node, file);
    if (!fresh) {
      findings.push_back(finding_at(where,
                                    fmt::format("{} is described by {} too", node, other->second),
                                    "keep one file for each node"));
      continue;
    }
    nodes.push_back({NodeName(node), role, file});
  }
  const bool control_plane = std::any_of(nodes.begin(), nodes.end(), [](const RoleFile& node) {
    return node.role == Role::control_plane;
  });
  if (!control_plane) {
    findings.push_back(finding_at(folder + ":1:1", "there is no control plane",
                                  "add a file to controlplane/ for each of them"));
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](const RoleFile& a, const RoleFile& b) {
    return a.role == Role::control_plane && b.role == Role::worker;
  });
  return nodes;
}

}  // namespace ichor
