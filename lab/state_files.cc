#include "lab/state_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace ichor::lab {

namespace {

tl::unexpected<Error> failed(const Folder& folder, const std::string& name, const char* what) {
  return fail(Errc::io,
              std::string(what) + " " + folder.path() + "/" + name + ": " + std::strerror(errno));
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(fd, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

Result<void> replace_file(const Folder& folder, const StateFile& file) {
  const std::string temporary = file.name + ".new";
  ::unlinkat(folder.fd(), temporary.c_str(), 0);
  const int fd = ::openat(folder.fd(), temporary.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return failed(folder, temporary, "cannot create");
  const bool written = ::fchmod(fd, 0600) == 0 && write_all(fd, file.content) && ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  errno = error;
  if (!written) return failed(folder, temporary, "cannot write");
  if (::renameat(folder.fd(), temporary.c_str(), folder.fd(), file.name.c_str()) != 0) {
    return failed(folder, file.name, "cannot replace");
  }
  return {};
}

}  // namespace

Result<void> replace_files(const Folder& folder, const std::vector<StateFile>& files) {
  for (const StateFile& file : files) {
    if (auto replaced = replace_file(folder, file); !replaced) return replaced;
  }
  if (::fsync(folder.fd()) != 0) return failed(folder, "", "cannot sync");
  return {};
}

Result<std::vector<std::string>> list_files(const Folder& folder, const std::string& suffix) {
  const int fd = ::openat(folder.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = fd < 0 ? nullptr : ::fdopendir(fd);
  if (stream == nullptr) return failed(folder, "", "cannot list");
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string name = entry->d_name;
    if (entry->d_type == DT_REG && name.ends_with(suffix)) names.push_back(name);
  }
  ::closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace ichor::lab
