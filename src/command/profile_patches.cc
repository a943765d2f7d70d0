#include "command/profile_patches.h"

#include <fmt/format.h>

namespace ichor {

namespace {

class PatchReader {
 public:
  PatchReader(const ClusterProfile& profile, const std::string& folder,
              std::vector<Finding>& findings, Desk& desk)
      : profile_(profile),
        folder_(folder),
        minor_(schema_minor(profile)),
        findings_(findings),
        desk_(desk) {}

  ProfilePatches run() {
    ProfilePatches patches;
    if (!profile_.talos.patches_dir.empty())
      read_tree(at_profile(profile_.talos.patches_dir), patches);
    for (const NodePlan& node : profile_.nodes) {
      for (std::size_t i = 0; i < node.patches.size(); ++i) {
        const std::string& text = node.patches[i];
        std::vector<Patch>& target = patches.nodes[node.name];
        if (text.find_first_of("\n {[") == std::string::npos) {
          read_file(at_profile(text.starts_with('@') ? text.substr(1) : text), target);
        } else {
          load(text, fmt::format("patches[{}] of {}", i, node.name.value()), target);
        }
      }
    }
    return patches;
  }

 private:
  std::string at_profile(const std::string& path) const {
    return path.starts_with('/') ? path : folder_ + path;
  }

  void read_tree(const std::string& root, ProfilePatches& patches) {
    if (!desk_.list_folder(root)) {
      refuse(root, "talos.patches_dir is no folder that can be read",
             "create it, or remove the key");
      return;
    }
    read_folder(root, patches.all);
    for (const char* name : {"all", "global"}) read_folder(root + "/" + name, patches.all);
    for (const char* name : {"controlplane", "controller"}) {
      read_folder(root + "/" + name, patches.control_plane);
    }
    read_folder(root + "/worker", patches.worker);
    for (const NodePlan& node : profile_.nodes) {
      read_folder(root + "/" + node.name.value(), patches.nodes[node.name]);
    }
  }

  void read_folder(const std::string& path, std::vector<Patch>& target) {
    const auto names = desk_.list_folder(path);
    if (!names) return;
    for (const std::string& name : *names) {
      const bool template_file = name.ends_with(".j2");
      if (name.ends_with(".yaml") || name.ends_with(".yml") || template_file) {
        read_file(path + "/" + name, target);
      }
    }
  }

  void read_file(const std::string& path, std::vector<Patch>& target) {
    if (path.ends_with(".j2")) {
      refuse(path, "templates cannot be used as patches yet",
             "render it first, and name the result");
      return;
    }
    const auto text = desk_.read_input(path);
    if (!text) {
      refuse(path, text.error().message, "correct the name, or remove it from the patches");
      return;
    }
    load(*text, path, target);
  }

  void load(const std::string& text, const std::string& name, std::vector<Patch>& target) {
    auto patch = load_patch(text, name, minor_);
    if (patch) {
      target.push_back(std::move(*patch));
    } else {
      refuse("", patch.error().message, "see `ichor help machineconfig` about patches");
    }
  }

  void refuse(const std::string& where, const std::string& what, const std::string& fix) {
    findings_.push_back({Severity::error, "patch.read", {}, where, what, fix});
  }

  const ClusterProfile& profile_;
  const std::string& folder_;
  int minor_;
  std::vector<Finding>& findings_;
  Desk& desk_;
};

}  // namespace

ProfilePatches read_profile_patches(const ClusterProfile& profile, const std::string& folder,
                                    std::vector<Finding>& findings, Desk& desk) {
  return PatchReader(profile, folder, findings, desk).run();
}

}  // namespace ichor
