#include "profile/profile_layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <vector>

#include "model/reporter.h"

namespace ichor {

namespace {

bool exists(const std::string& path, Files& files) {
  return files.has_file(path) || files.list_folder(path).has_value();
}

/// "talos/infra" of "./talos/infra/".
std::string tidy(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  while (path.starts_with("./")) path.erase(0, 2);
  return path;
}

class Layout {
 public:
  Layout(ProfileReading& reading, const std::string& folder, Files& files)
      : reading_(reading), folder_(folder), files_(files), report_(reading.findings) {}

  void settle() {
    TalosPlan& talos = reading_.profile.talos;
    config_dir_ = tidy(talos.config_dir);
    talos.config_dir = config_dir_;
    if (talos.secrets_file.empty()) find_secrets();
    if (talos.patches_dir.empty() && of_template()) find_patches();
    settle_path("secrets_file", talos.secrets_file);
    settle_path("patches_dir", talos.patches_dir);
    if (!config_dir_.empty() && reading_.ready_configs.empty()) refuse_ready_configs();
  }

 private:
  std::string here(const std::string& path) const { return at_profile(folder_, path); }

  std::string where(const std::string& key) const { return reading_.source.where("talos." + key); }

  void settle_path(const std::string& key, std::string& path) {
    if (path.empty() || path.starts_with('/') || config_dir_.empty() || config_dir_ == ".") return;
    const std::string inside = config_dir_ + "/" + path;
    const bool beside_there = exists(here(path), files_);
    const bool inside_there = exists(here(inside), files_);
    if (beside_there && inside_there) {
      report_.error(
          "profile.ambiguous", where(key),
          fmt::format("talos.{} can mean {} or {}, and both exist", key, here(path), here(inside)),
          fmt::format("remove one of them, or write talos.{} as an absolute path", key));
      return;
    }
    // A path that begins with config_dir was written from the profile's folder.
    if (!beside_there && !path.starts_with(config_dir_ + "/")) path = inside;
  }

  /// cluster-template keeps what belongs to Talos in a folder of its own.
  bool of_template() const {
    const std::string& file = reading_.source.file();
    return file.ends_with("cluster.yaml") || file.ends_with("cluster.yml") ||
           file.ends_with("cluster.toml");
  }

  void find_patches() {
    constexpr const char* name = "talos/patches";
    if (files_.list_folder(here(name))) reading_.profile.talos.patches_dir = name;
  }

  void find_secrets() {
    std::vector<std::string> names = {"talsecret.yaml",       "talsecret.sops.yaml",
                                      "talsecret.yml",        "talsecret.sops.yml",
                                      "talos/talsecret.yaml", "talos/talsecret.sops.yaml",
                                      "talos/talsecret.yml",  "talos/talsecret.sops.yml"};
    if (!of_template()) names.resize(4);
    if (reading_.recipe && reading_.recipe->base) names = {"secrets.yaml", "secrets.sops.yaml"};
    std::string& target = reading_.profile.talos.secrets_file;
    for (const std::string& name : names) {
      if (!files_.has_file(here(name))) continue;
      if (!target.empty()) {
        report_.error("profile.ambiguous", reading_.source.where(""),
                      fmt::format("the secrets can be those of {} or {}", here(target), here(name)),
                      "remove the one that is not of this cluster, or write talos.secrets_file");
        return;
      }
      target = name;
    }
  }

  void refuse_ready_configs() {
    const std::string folder = here(config_dir_);
    for (const std::string& name :
         files_.list_folder(folder).value_or(std::vector<std::string>())) {
      if (!may_be_ready_config(name) || !is_of_node(name)) continue;
      const auto text = files_.read_input(folder + "/" + name);
      if (!text || text->starts_with(kGeneratedMark)) continue;
      report_.error(
          "profile.config-dir", where("config_dir"),
          fmt::format("{}/{} is a node's config that ichor has not written, and talos.config_dir "
                      "is the folder that ichor writes to",
                      folder, name),
          fmt::format("to send ready-made configs write `ready_configs: {}` instead, or use "
                      "--config-dir; to generate them move this one away",
                      config_dir_));
      return;
    }
  }

  /// NODE.yaml or CLUSTER-NODE.yaml.
  bool is_of_node(const std::string& file) const {
    const std::string stem = file.substr(0, file.rfind('.'));
    const std::string start = reading_.profile.name + "-";
    return reading_.profile.find(NodeName(stem)) != nullptr ||
           (stem.starts_with(start) &&
            reading_.profile.find(NodeName(stem.substr(start.size()))) != nullptr);
  }

  ProfileReading& reading_;
  const std::string& folder_;
  Files& files_;
  Reporter report_;
  std::string config_dir_;
};

}  // namespace

bool may_be_ready_config(const std::string& file_name) {
  return std::any_of(std::begin(kReadyConfigEndings), std::end(kReadyConfigEndings),
                     [&](std::string_view ending) { return file_name.ends_with(ending); });
}

std::string at_profile(const std::string& folder, const std::string& path) {
  return path.starts_with('/') ? path : folder + path;
}

void settle_layout(ProfileReading& reading, const std::string& folder, Files& files) {
  Layout(reading, folder, files).settle();
}

}  // namespace ichor
