#include "cluster/config_folder.h"

#include <fmt/format.h>

#include "profile/profile_layout.h"
#include "secrets/sops_file.h"

namespace ichor {

OrEnd<std::optional<ReadyConfigs>> find_ready_configs(const ProfileInput& input,
                                                      const std::string& named, LocalPorts& local) {
  const std::string& of_profile = input.ready_configs;
  if (named.empty() && of_profile.empty()) return std::optional<ReadyConfigs>();
  ReadyConfigs ready;
  ready.folder = !named.empty() ? named : at_profile(input.folder, of_profile);
  const auto names = local.files.list_folder(ready.folder);
  if (!names) {
    return end_with(Exit::usage, fmt::format("{}: there is no such folder", ready.folder));
  }
  for (const std::string& name : *names) {
    if (!may_be_ready_config(name)) continue;
    auto text = read_secret_file(ready.folder + "/" + name, local);
    if (!text) return end_with(text.error());
    ready.files.emplace(name, *std::move(text));
  }
  return std::optional<ReadyConfigs>(std::move(ready));
}

}  // namespace ichor
