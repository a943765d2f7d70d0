#include "profile/source.h"

#include <fmt/format.h>

namespace ichor {

yaml::Position ProfileSource::position(std::string_view path) const {
  while (!path.empty()) {
    if (const auto found = positions_.find(path); found != positions_.end()) return found->second;
    const std::size_t last = path.find_last_of(".[");
    path = path.substr(0, last == std::string_view::npos ? 0 : last);
  }
  return {1, 1};
}

std::string ProfileSource::where(std::string_view path) const {
  return yaml::to_text(file_, position(path));
}

std::string assignment_path(std::string_view role, std::size_t index) {
  return fmt::format("nodes.{}.assignments[{}]", role, index);
}

}  // namespace ichor
