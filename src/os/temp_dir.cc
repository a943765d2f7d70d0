#include "os/temp_dir.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
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

}  // namespace ichor
