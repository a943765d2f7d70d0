#include "profile/profile_file.h"

#include "profile/detect.h"
#include "profile/profile_layout.h"
#include "profile/reader_inputs.h"
#include "profile/role_project.h"

namespace ichor {

namespace {

void list_below(const std::string& root, const std::string& path, int depth, LocalPorts& local,
                std::vector<std::string>& files) {
  constexpr int depth_max = 3;
  const auto names = local.files.list_folder(path.empty() ? root : root + "/" + path);
  if (!names) {
    files.push_back(path);
    return;
  }
  if (depth > depth_max) return;
  for (const std::string& name : *names) {
    list_below(root, path.empty() ? name : path + "/" + name, depth + 1, local, files);
  }
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// The profile that a folder holds; the path itself if it is none or holds none.
std::string profile_in(const std::string& path, LocalPorts& local) {
  if (local.files.has_file(path)) return path;
  for (const char* name : {"/ichor.yaml", "/talconfig.yaml"}) {
    if (local.files.has_file(without_slash(path) + name)) return without_slash(path) + name;
  }
  return path;
}

bool is_folder(const std::string& path, LocalPorts& local) {
  return !local.files.has_file(path) && local.files.list_folder(without_slash(path)).has_value();
}

}  // namespace

std::vector<std::string> files_below(const std::string& root, LocalPorts& local) {
  std::vector<std::string> files;
  list_below(root, "", 0, local, files);
  return files;
}

std::string profile_folder(const std::string& path, LocalPorts& local) {
  const std::string profile = profile_in(path, local);
  if (is_folder(profile, local)) return without_slash(profile) + "/";
  return profile.substr(0, profile.rfind('/') + 1);
}

OrEnd<ProfileReading> read_profile_file(const std::string& path, SecretWords& secrets,
                                        LocalPorts& local) {
  const std::string profile = profile_in(path, local);
  if (is_folder(profile, local)) {
    const std::string folder = without_slash(profile);
    ProfileReading reading = read_role_project(folder, files_below(folder, local),
                                               reader_inputs(folder + "/", secrets, local));
    settle_layout(reading, folder + "/", local.files);
    return reading;
  }
  const auto text = local.files.read_input(profile);
  if (!text) {
    return end_with(Exit::usage,
                    text.error().message + "; `ichor init` writes a profile, -p names another one");
  }
  ProfileReading reading = read_any_profile(*text, profile, reader_inputs(profile, secrets, local));
  settle_layout(reading, profile.substr(0, profile.rfind('/') + 1), local.files);
  return reading;
}

}  // namespace ichor
