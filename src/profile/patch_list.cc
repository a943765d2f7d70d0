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

/// "cp1" of "nodes/cp1.yaml.j2".
std::string_view stem_of(std::string_view file) {
  std::string_view name = file.substr(file.rfind('/') + 1);
  if (name.ends_with(".j2")) name.remove_suffix(3);
  return name.substr(0, name.rfind('.'));
}

constexpr std::string_view kDigits = "0123456789";

/// The node that a name resembles: the same name with another number. nullptr: none, or it is the
/// name of a node.
const NodePlan* similar_node(const ClusterProfile& profile, std::string_view stem) {
  const std::size_t end = stem.find_last_not_of(kDigits);
  if (end == std::string_view::npos || end + 1 == stem.size()) return nullptr;
  for (const NodePlan& node : profile.nodes) {
    const std::string_view name = node.name.value();
    if (name.find_last_not_of(kDigits) == end && name.size() > end + 1 &&
        name.substr(0, end + 1) == stem.substr(0, end + 1)) {
      return &node;
    }
  }
  return nullptr;
}

/// Which nodes get the files of a folder directly in patches_dir; nothing if it is not known.
std::optional<PatchScope> scope_of_folder(const ClusterProfile& profile, std::string_view folder) {
  if (is_one_of(folder, {"all", "global"})) return PatchScope{};
  if (is_one_of(folder, {"controlplane", "control-plane", "controller"})) {
    return PatchScope{PatchScope::Kind::control_planes, {}};
  }
  if (is_one_of(folder, {"worker", "workers"})) return PatchScope{PatchScope::Kind::workers, {}};
  const NodeName node{std::string(folder)};
  if (profile.find(node) == nullptr) return std::nullopt;
  return PatchScope{PatchScope::Kind::node, node};
}

/// Which nodes get a file of patches_dir; nothing if none does.
std::optional<PatchScope> scope_of(const ClusterProfile& profile, std::string_view file) {
  // Other files lie beside the profile too.
  const bool beside_profile = profile.talos.patches_dir == ".";
  const std::size_t slash = file.find('/');
  const NodePlan* named = profile.find(NodeName(std::string(stem_of(file))));
  const PatchScope own{PatchScope::Kind::node, named != nullptr ? named->name : NodeName()};
  if (slash == std::string_view::npos) {
    if (beside_profile) return std::nullopt;
    return named != nullptr ? own : PatchScope{};
  }
  std::string_view folder = file.substr(0, slash);
  if (is_one_of(folder, {"node", "nodes"})) {
    const std::string_view rest = file.substr(slash + 1);
    const bool deeper = rest.find('/') != std::string_view::npos;
    if (!deeper) return named != nullptr ? std::optional(own) : std::nullopt;
    folder = rest.substr(0, rest.find('/'));
  }
  const auto scope = scope_of_folder(profile, folder);
  if (!scope || named == nullptr) return scope;
  // The folder of another node or of the other role contradicts the name.
  return scope->covers(*named) ? std::optional(own) : std::nullopt;
}

Finding finding_of(Severity severity, std::string id, const ProfileSource& source, std::string what,
                   std::string fix) {
  Finding finding;
  finding.id = std::move(id);
  finding.severity = severity;
  finding.where = source.where("talos.patches_dir");
  finding.what = std::move(what);
  finding.fix = std::move(fix);
  return finding;
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
      const NodePlan* similar =
          scope->kind == PatchScope::Kind::all ? similar_node(profile, stem_of(file)) : nullptr;
      if (similar != nullptr) {
        findings.push_back(finding_of(
            Severity::error, "patch.node", source,
            fmt::format("{}{} looks like the patch of a node, but no node has this name: every "
                        "node would get it",
                        folder, file),
            fmt::format("name it after its node, such as {}.yaml, or give it a name without a "
                        "number",
                        similar->name.value())));
        continue;
      }
      patches.push_back({folder + file, *scope, file.ends_with(".j2"), {}});
      continue;
    }
    if (profile.talos.patches_dir == ".") continue;
    findings.push_back(finding_of(
        Severity::warning, "patch.nobody", source,
        fmt::format("{}{} is for no node of this profile", folder, file),
        "name it after a node, or put it into controlplane/, worker/ or the folder of a node"));
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
