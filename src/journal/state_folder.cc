#include "journal/state_folder.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system_fault.h"
#include "journal/sqlite_db.h"

namespace ichor {

namespace {

constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;
constexpr mode_t kPermissions = 07777;

tl::unexpected<Error> failed(int number, std::string_view doing, const std::string& path) {
  std::string message = path + ": cannot ";
  message += doing;
  message += ": " + errno_text(number);
  return fail(Errc::io, std::move(message), fault_of_errno(number));
}

/// Makes the folder and the missing ones above it. What exists is left as it is.
Result<void> make_folders(const std::filesystem::path& path) {
  if (path.empty()) return {};
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0) return {};
  if (errno != ENOENT) return failed(errno, "look at", path);
  if (auto made = make_folders(path.parent_path()); !made) return made;
  if (::mkdir(path.c_str(), kFolderMode) != 0) {
    if (errno == EEXIST) return {};
    return failed(errno, "create", path);
  }
  if (::chmod(path.c_str(), kFolderMode) != 0) return failed(errno, "set the mode of", path);
  return {};
}

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

OwnedFd::~OwnedFd() {
  if (fd_ >= 0) ::close(fd_);
}

Result<StateFolder> StateFolder::open(std::string path, bool create) {
  path = without_trailing_slashes(std::move(path));
  if (create) {
    if (auto made = make_folders(path); !made) return forward_error(made);
  }
  OwnedFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd.get() < 0) {
    if (errno == ENOENT) return fail(Errc::invalid, path + ": there is no state folder");
    if (errno == ELOOP || errno == ENOTDIR) {
      return fail(Errc::unsafe, path + ": the state folder must be a folder and not a link to one");
    }
    return failed(errno, "open", path);
  }
  struct stat opened {};
  if (::fstat(fd.get(), &opened) != 0) return failed(errno, "look at", path);
  if (opened.st_uid != ::geteuid()) {
    return fail(Errc::unsafe, path + ": the state folder belongs to another user");
  }
  if ((opened.st_mode & kPermissions) != kFolderMode && ::fchmod(fd.get(), kFolderMode) != 0) {
    return failed(errno, "set the mode of", path);
  }
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  struct stat named {};
  if (!real || ::lstat(real.get(), &named) != 0) return failed(errno, "resolve", path);
  if (std::pair(named.st_dev, named.st_ino) != std::pair(opened.st_dev, opened.st_ino)) {
    return fail(Errc::unsafe, path + ": the state folder was replaced while it was opened");
  }
  return StateFolder(std::move(fd), real.get());
}

Result<StateFolder::FileFacts> StateFolder::look(const std::string& name) const {
  struct stat found {};
  if (::fstatat(fd_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return FileFacts{};
    return failed(errno, "look at", file(name));
  }
  if (!S_ISREG(found.st_mode) || found.st_nlink != 1) {
    return fail(Errc::unsafe, file(name) + ": must be a regular file with one name, not a link");
  }
  if (found.st_uid != ::geteuid())
    return fail(Errc::unsafe, file(name) + ": belongs to another user");
  if ((found.st_mode & kPermissions) != kFileMode &&
      ::fchmodat(fd_.get(), name.c_str(), kFileMode, 0) != 0) {
    return failed(errno, "set the mode of", file(name));
  }
  return FileFacts{true, static_cast<std::uint64_t>(found.st_size), found.st_ino};
}

Result<void> StateFolder::check_writable(const std::string& name) const {
  if (::faccessat(fd_.get(), name.c_str(), W_OK, AT_EACCESS) == 0) return {};
  return failed(errno, "write", file(name));
}

Result<void> StateFolder::create_file(const std::string& name) const {
  const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const OwnedFd made(::openat(fd_.get(), name.c_str(), flags, kFileMode));
  if (made.get() < 0) return failed(errno, "create", file(name));
  if (::fchmod(made.get(), kFileMode) != 0) return failed(errno, "set the mode of", file(name));
  return {};
}

Result<OwnedFd> StateFolder::open_file(const std::string& name) const {
  const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  OwnedFd opened(::openat(fd_.get(), name.c_str(), flags, kFileMode));
  if (opened.get() < 0 && errno != ELOOP) return failed(errno, "open", file(name));
  // Says what is wrong with a link, and sets the mode.
  if (auto seen = look(name); !seen) return forward_error(seen);
  return opened;
}

Result<void> StateFolder::remove_file(const std::string& name) const {
  if (::unlinkat(fd_.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return failed(errno, "remove", file(name));
  }
  return {};
}

Result<void> StateFolder::rename_durably(const std::string& from, const std::string& to) const {
  const OwnedFd bytes(::openat(fd_.get(), from.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (bytes.get() < 0) return failed(errno, "open", file(from));
  if (::fsync(bytes.get()) != 0) return failed(errno, "sync", file(from));
  if (::renameat(fd_.get(), from.c_str(), fd_.get(), to.c_str()) != 0) {
    return failed(errno, "rename", file(from));
  }
  if (::fsync(fd_.get()) != 0) return failed(errno, "sync", path_);
  return {};
}

Result<OwnedFd> StateFolder::exclude_others() const {
  // A descriptor of its own: the lock is the descriptor's and goes with it.
  OwnedFd mine(::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (mine.get() < 0) return failed(errno, "open", path_);
  while (::flock(mine.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return failed(errno, "lock", path_);
  }
  return mine;
}

}  // namespace ichor
