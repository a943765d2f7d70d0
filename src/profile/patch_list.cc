#include "profile/patch_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace ichor {

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_patch(std::string_view name) {
  if (name.ends_with(".j2")) name.remove_suffix(3);
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

/// Who gets a file of the patches' folder; nothing if nobody does.
std::optional<PatchScope> scope_of(const ClusterProfile& profile, std::string_view file) {
  const std::size_t slash = file.find('/');
  if (slash == std::string_view::npos) {
    // Beside the profile lie other files too.
    const bool own_folder = profile.talos.patches_dir != ".";
    return own_folder ? std::optional(PatchScope{}) : std::nullopt;
  }
  std::string_view folder = file.substr(0, slash);
  const bool deeper = file.find('/', slash + 1) != std::string_view::npos;
  if (is_one_of(folder, {"node", "nodes"}) && deeper) {
    const std::string_view rest = file.substr(slash + 1);
    folder = rest.substr(0, rest.find('/'));
  } else {
    if (is_one_of(folder, {"all", "global"})) return PatchScope{};
    if (is_one_of(folder, {"controlplane", "control-plane", "controller"})) {
      return PatchScope{PatchScope::Kind::control_planes, {}};
    }
    if (is_one_of(folder, {"worker", "workers"})) return PatchScope{PatchScope::Kind::workers, {}};
  }
  const NodeName node{std::string(folder)};
  if (profile.find(node) == nullptr) return std::nullopt;
  return PatchScope{PatchScope::Kind::node, node};
}

}  // namespace

bool PatchScope::covers(const NodePlan& plan) const {
  switch (kind) {
    case Kind::all: return true;
    case Kind::control_planes: return plan.role == Role::control_plane;
    case Kind::workers: return plan.role == Role::worker;
    case Kind::node: return plan.name == node;
  }
  return false;
}

std::vector<PatchFile> list_patches(const ClusterProfile& profile,
                                    const std::vector<std::string>& files,
                                    const ProfileSource& source, std::vector<Finding>& findings) {
  std::vector<PatchFile> patches;
  std::string folder = profile.talos.patches_dir;
  if (!folder.empty() && !folder.ends_with('/')) folder += '/';
  for (const std::string& file : files) {
    if (!is_patch(file)) continue;
    const auto scope = scope_of(profile, file);
    if (scope) {
      patches.push_back({folder + file, *scope, file.ends_with(".j2"), {}});
      continue;
    }
    if (profile.talos.patches_dir == ".") continue;
    Finding finding;
    finding.id = "patch.nobody";
    finding.severity = Severity::warning;
    finding.where = source.where("talos.patches_dir");
    finding.what = fmt::format("{}{} is for no node of this profile", folder, file);
    finding.fix =
        "put it beside the others, or into controlplane/, worker/ or the folder of a node";
    findings.push_back(std::move(finding));
  }
  std::sort(patches.begin(), patches.end(), [](const PatchFile& a, const PatchFile& b) {
    return std::tuple(a.scope.kind, a.scope.node.value(), std::string_view(a.path)) <
           std::tuple(b.scope.kind, b.scope.node.value(), std::string_view(b.path));
  });
  for (const NodePlan& node : profile.nodes) {
    for (std::size_t i = 0; i < node.patches.size(); ++i) {
      const std::string& written = node.patches[i];
      const PatchScope scope{PatchScope::Kind::node, node.name};
      if (written.find_first_of("\n {[") != std::string::npos) {
        const std::string name = fmt::format("patches[{}] of {}", i, node.name.value());
        patches.push_back({name, scope, false, written});
      } else {
        const std::string path = written.substr(written.starts_with('@') ? 1 : 0);
        patches.push_back({path, scope, path.ends_with(".j2"), {}});
      }
    }
  }
  return patches;
}

}  // namespace ichor
