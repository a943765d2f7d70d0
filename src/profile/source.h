#pragma once

#include <map>
#include <string>
#include <string_view>

#include "yaml/document.h"

namespace ichor {

/// Where in its file each value of a profile stands, so that a rule that looks at the profile can
/// point into it. Paths are spelled as the file nests: "network.gateway",
/// "nodes.controlplane.assignments[0].ip".
class ProfileSource {
 public:
  ProfileSource() = default;
  explicit ProfileSource(std::string file) : file_(std::move(file)) {}

  void remember(const std::string& path, yaml::Position at) { positions_[path] = at; }

  const std::string& file() const { return file_; }
  /// "file:line:column" of a value, or of the nearest thing around it that is there.
  std::string where(std::string_view path) const;
  yaml::Position position(std::string_view path) const;

 private:
  std::string file_;
  std::map<std::string, yaml::Position, std::less<>> positions_;
};

/// "nodes.controlplane.assignments[2]": the path of the node that is `index`th of its role.
std::string assignment_path(std::string_view role, std::size_t index);

}  // namespace ichor
