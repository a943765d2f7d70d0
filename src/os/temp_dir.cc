#include "os/temp_dir.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace ichor {

Result<std::string> make_temp_dir(const std::string& prefix) {
  const char* const root = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/{}.XXXXXX", root && *root ? root : "/tmp", prefix);
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
