#include "os/temp_dir.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace ichor {

std::string temp_root() {
  const char* const root = std::getenv("TMPDIR");
  return root && *root ? root : "/tmp";
}

Result<std::string> make_temp_dir(const std::string& prefix) {
  std::string path = fmt::format("{}/{}.XXXXXX", temp_root(), prefix);
  if (!::mkdtemp(path.data())) {
    return fail(Errc::io, fmt::format("{}: cannot be made: {}", path, std::strerror(errno)));
  }
  return path;
}

void remove_temp_dir(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace ichor
