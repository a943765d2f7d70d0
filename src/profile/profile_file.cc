#include "profile/profile_file.h"

#include "profile/detect.h"
#include "profile/profile_layout.h"
#include "profile/reader_inputs.h"
#include "profile/role_project.h"

namespace ichor {

namespace {

void list_below(const std::string& root, const std::string& path, int depth, Host& host,
                std::vector<std::string>& files) {
  constexpr int depth_max = 3;
  const auto names = host.list_folder(path.empty() ? root : root + "/" + path);
  if (!names) {
    files.push_back(path);
    return;
  }
  if (depth > depth_max) return;
  for (const std::string& name : *names) {
    list_below(root, path.empty() ? name : path + "/" + name, depth + 1, host, files);
  }
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// The profile that a folder holds; the path itself if it is none or holds none.
std::string profile_in(const std::string& path, Host& host) {
  if (host.has_file(path)) return path;
  for (const char* name : {"/ichor.yaml", "/talconfig.yaml"}) {
    if (host.has_file(without_slash(path) + name)) return without_slash(path) + name;
  }
  return path;
}

bool is_folder(const std::string& path, Host& host) {
  return !host.has_file(path) && host.list_folder(without_slash(path)).has_value();
}

}  // namespace

std::vector<std::string> files_below(const std::string& root, Host& host) {
  std::vector<std::string> files;
  list_below(root, "", 0, host, files);
  return files;
}

std::string profile_folder(const std::string& path, Host& host) {
  const std::string profile = profile_in(path, host);
  if (is_folder(profile, host)) return without_slash(profile) + "/";
  return profile.substr(0, profile.rfind('/') + 1);
}

OrEnd<ProfileReading> read_profile_file(const std::string& path, SecretWords& secrets, Host& host) {
  const std::string profile = profile_in(path, host);
  if (is_folder(profile, host)) {
    const std::string folder = without_slash(profile);
    ProfileReading reading = read_role_project(folder, files_below(folder, host),
                                               reader_inputs(folder + "/", secrets, host));
    settle_layout(reading, folder + "/", host);
    return reading;
  }
  const auto text = host.read_input(profile);
  if (!text) {
    return end_with(Exit::usage,
                    text.error().message + "; `ichor init` writes a profile, -p names another one");
  }
  ProfileReading reading = read_any_profile(*text, profile, reader_inputs(profile, secrets, host));
  settle_layout(reading, profile.substr(0, profile.rfind('/') + 1), host);
  return reading;
}

}  // namespace ichor
