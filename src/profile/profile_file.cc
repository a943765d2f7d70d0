#include "profile/profile_file.h"

#include "profile/detect.h"
#include "profile/profile_layout.h"
#include "profile/role_project.h"
#include "profile/surroundings.h"

namespace ichor {

namespace {

void list_below(const std::string& root, const std::string& path, int depth, Desk& desk,
                std::vector<std::string>& files) {
  constexpr int depth_max = 3;
  const auto names = desk.list_folder(path.empty() ? root : root + "/" + path);
  if (!names) {
    files.push_back(path);
    return;
  }
  if (depth > depth_max) return;
  for (const std::string& name : *names) {
    list_below(root, path.empty() ? name : path + "/" + name, depth + 1, desk, files);
  }
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// The profile that a folder holds; the path itself if it is none or holds none.
std::string profile_in(const std::string& path, Desk& desk) {
  if (desk.has_file(path)) return path;
  for (const char* name : {"/ichor.yaml", "/talconfig.yaml"}) {
    if (desk.has_file(without_slash(path) + name)) return without_slash(path) + name;
  }
  return path;
}

bool is_folder(const std::string& path, Desk& desk) {
  return !desk.has_file(path) && desk.list_folder(without_slash(path)).has_value();
}

}  // namespace

std::vector<std::string> files_below(const std::string& root, Desk& desk) {
  std::vector<std::string> files;
  list_below(root, "", 0, desk, files);
  return files;
}

std::string profile_folder(const std::string& path, Desk& desk) {
  const std::string profile = profile_in(path, desk);
  if (is_folder(profile, desk)) return without_slash(profile) + "/";
  return profile.substr(0, profile.rfind('/') + 1);
}

OrEnd<ProfileReading> read_profile_file(const std::string& path, SecretWords& secrets, Desk& desk) {
  const std::string profile = profile_in(path, desk);
  if (is_folder(profile, desk)) {
    const std::string folder = without_slash(profile);
    ProfileReading reading = read_role_project(folder, files_below(folder, desk),
                                               surroundings_of(folder + "/", secrets, desk));
    settle_layout(reading, folder + "/", desk);
    return reading;
  }
  const auto text = desk.read_input(profile);
  if (!text) {
    return end_with(Exit::usage,
                    text.error().message + "; `ichor init` writes a profile, -p names another one");
  }
  ProfileReading reading =
      read_any_profile(*text, profile, surroundings_of(profile, secrets, desk));
  settle_layout(reading, profile.substr(0, profile.rfind('/') + 1), desk);
  return reading;
}

}  // namespace ichor
