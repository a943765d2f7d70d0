#include "os/durable_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/system_error.h"

namespace ichor {

namespace {

bool is_plain(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

/// Reads until the end; `size_max` holds also for files that grow or do not know their size.
Result<SecretString> read_all(int fd, const std::string& path, std::size_t size_max) {
  std::string bytes;
  char buffer[65536];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(path, "cannot be read", errno);
    if (count == 0) break;
    bytes.append(buffer, static_cast<std::size_t>(count));
    if (bytes.size() > size_max) {
      return fail(Errc::invalid, fmt::format("{}: larger than {} bytes", path, size_max));
    }
  }
  explicit_bzero(buffer, sizeof buffer);
  return SecretString(std::move(bytes));
}

Result<void> write_all(int fd, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(path, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

/// Every missing folder of the path, mode 0755 less the umask.
Result<void> make_parents(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string parent = path.substr(0, at);
    if (::mkdir(parent.c_str(), 0755) != 0 && errno != EEXIST) {
      return system_error(parent, "cannot be made", errno);
    }
  }
  return {};
}

/// Keeps what stands at `name` under a free name, as a second name of the same file: at no moment
/// is there no file.
Result<void> keep_backup(const Folder& folder, const std::string& name) {
  constexpr int backups_max = 100;
  for (int i = 1; i <= backups_max; ++i) {
    const std::string backup = i == 1 ? name + ".bak" : fmt::format("{}.bak.{}", name, i);
    if (::linkat(folder.fd(), name.c_str(), folder.fd(), backup.c_str(), 0) == 0) return {};
    if (errno != EEXIST) return system_error(folder.path() + "/" + backup, "cannot be made", errno);
  }
  return fail(Errc::io, fmt::format("{}/{}: {} backups are there; remove some", folder.path(), name,
                                    backups_max));
}

Result<void> write_new(const Folder& folder, const std::string& temporary,
                       const SecretString& content, Sync sync = Sync::yes) {
  const std::string path = folder.path() + "/" + temporary;
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int made = ::openat(folder.fd(), temporary.c_str(), flags, 0600);
  if (made < 0 && errno == EEXIST) {  // left by a run that was killed
    ::unlinkat(folder.fd(), temporary.c_str(), 0);
    made = ::openat(folder.fd(), temporary.c_str(), flags, 0600);
  }
  if (made < 0) return system_error(path, "cannot be made", errno);
  const Fd file(made);
  // The umask may have taken bits, never added any; an ACL of the folder may have.
  struct stat facts {};
  const bool looked = ::fstat(file.get(), &facts) == 0;
  const bool is_private = looked && (facts.st_mode & 0777) == 0600;
  if (!is_private && ::fchmod(file.get(), 0600) != 0) {
    return system_error(path, "cannot be made private", errno);
  }
  if (auto written = write_all(file.get(), path, content.reveal()); !written) return written;
  if (sync == Sync::yes && ::fsync(file.get()) != 0) {
    return system_error(path, "cannot be synced", errno);
  }
  return {};
}

}  // namespace

Result<Folder> Folder::make(const std::string& path, Access access) {
  const mode_t mode = access == Access::owner_only ? 0700 : 0755;
  int failed = ::mkdir(path.c_str(), mode);
  if (failed != 0 && errno == ENOENT) {
    if (auto made = make_parents(path); !made) return forward_error(made);
    failed = ::mkdir(path.c_str(), mode);
  }
  if (failed != 0 && errno != EEXIST) return system_error(path, "cannot be made", errno);
  return open(path, access);
}

Result<Folder> Folder::open(const std::string& path, Access access) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd.get() < 0) {
    const bool is_link = errno == ELOOP || errno == ENOTDIR;
    return system_error(path, "cannot be opened as a folder", errno,
                        is_link ? Errc::unsafe : Errc::invalid);
  }
  if (access == Access::owner_only) {
    struct stat facts {};
    if (::fstat(fd.get(), &facts) != 0) return system_error(path, "cannot be looked at", errno);
    if (facts.st_uid != ::geteuid()) {
      return fail(Errc::unsafe, fmt::format("{}: belongs to another user", path));
    }
    if (::fchmod(fd.get(), 0700) != 0) return system_error(path, "cannot be made private", errno);
  }
  return Folder(fd.release(), path);
}

Folder::~Folder() {
  if (fd_ >= 0) ::close(fd_);
}

namespace {

/// Of a file that must not be open to others: `loose` is the mode it has.
tl::unexpected<Error> too_open(const std::string& path, mode_t loose) {
  return fail(Errc::unsafe, fmt::format("{}: others may read it (mode {:04o}); chmod 600 it", path,
                                        loose & 07777));
}

Result<std::optional<SecretString>> read_in(const Folder& folder, const std::string& name,
                                            std::size_t size_max, bool is_secret) {
  const std::string path = folder.path() + "/" + name;
  if (!is_plain(name)) return fail(Errc::unsafe, fmt::format("{}: no plain file name", path));
  // Without O_NONBLOCK a pipe that was put here would hold us for ever.
  constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const Fd file(::openat(folder.fd(), name.c_str(), flags));
  if (file.get() < 0) {
    if (errno == ENOENT) return std::optional<SecretString>();
    return system_error(path, "cannot be opened", errno, errno == ELOOP ? Errc::unsafe : Errc::io);
  }
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return system_error(path, "cannot be looked at", errno);
  if (!S_ISREG(facts.st_mode)) {
    return fail(Errc::unsafe, fmt::format("{}: not a regular file", path));
  }
  if (is_secret && (facts.st_mode & 077) != 0) return too_open(path, facts.st_mode);
  auto bytes = read_all(file.get(), path, size_max);
  if (!bytes) return forward_error(bytes);
  return std::optional<SecretString>(*std::move(bytes));
}

}  // namespace

Result<std::optional<SecretString>> read_file(const Folder& folder, const std::string& name,
                                              std::size_t size_max) {
  return read_in(folder, name, size_max, false);
}

Result<std::optional<SecretString>> read_private_file(const Folder& folder, const std::string& name,
                                                      std::size_t size_max) {
  return read_in(folder, name, size_max, true);
}

namespace {

Result<void> put_file(const Folder& folder, const std::string& name, const SecretString& content,
                      bool backup) {
  constexpr std::size_t compared_max = 64u << 20;
  const auto present = read_file(folder, name, compared_max);
  if (!present) return forward_error(present);
  struct stat facts {};
  const bool looked = ::fstatat(folder.fd(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  if (*present && **present == content && looked && (facts.st_mode & 0777) == 0600) return {};

  const std::string temporary = fmt::format(".{}.{}.tmp", name, ::getpid());
  auto done = write_new(folder, temporary, content);
  if (done && backup && *present && !(**present == content)) done = keep_backup(folder, name);
  if (done && ::renameat(folder.fd(), temporary.c_str(), folder.fd(), name.c_str()) != 0) {
    done = system_error(folder.path() + "/" + name, "cannot be put in place", errno);
  }
  if (!done) {
    ::unlinkat(folder.fd(), temporary.c_str(), 0);
    return done;
  }
  if (::fsync(folder.fd()) != 0) return system_error(folder.path(), "cannot be synced", errno);
  return {};
}

}  // namespace

Result<void> write_file(const Folder& folder, const std::string& name,
                        const SecretString& content) {
  return put_file(folder, name, content, true);
}

Result<void> replace_file(const Folder& folder, const std::string& name,
                          const SecretString& content) {
  return put_file(folder, name, content, false);
}

namespace {

/// Gives a file its name unless something has it. Returns an errno, or 0.
int name_new(const Folder& folder, const std::string& temporary, const std::string& name) {
  const int fd = folder.fd();
  if (::renameat2(fd, temporary.c_str(), fd, name.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL) return errno;
  // A file system without that; a link, too, replaces nothing.
  if (::linkat(fd, temporary.c_str(), fd, name.c_str(), 0) != 0) return errno;
  ::unlinkat(fd, temporary.c_str(), 0);
  return 0;
}

}  // namespace

Result<bool> create_file(const Folder& folder, const std::string& name, const SecretString& content,
                         Sync sync) {
  const std::string path = folder.path() + "/" + name;
  if (!is_plain(name)) return fail(Errc::unsafe, fmt::format("{}: no plain file name", path));
  const std::string temporary = fmt::format(".{}.{}.tmp", name, ::getpid());
  if (auto written = write_new(folder, temporary, content, sync); !written) {
    ::unlinkat(folder.fd(), temporary.c_str(), 0);
    return forward_error(written);
  }
  if (const int error = name_new(folder, temporary, name); error != 0) {
    ::unlinkat(folder.fd(), temporary.c_str(), 0);
    if (error == EEXIST) return false;
    return system_error(path, "cannot be put in place", error);
  }
  if (sync == Sync::yes && ::fsync(folder.fd()) != 0) {
    return system_error(folder.path(), "cannot be synced", errno);
  }
  return true;
}

namespace {

Result<SecretString> read_named(const std::string& path, std::size_t size_max, bool is_secret) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) return system_error(path, "cannot be opened", errno, Errc::invalid);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return system_error(path, "cannot be looked at", errno);
  // Pipes are what process substitution gives: `-p <(render)`. One that lies in a folder may never
  // be written to.
  const bool pipe =
      S_ISFIFO(facts.st_mode) &&
      (path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/") || path == "/dev/stdin");
  if (!S_ISREG(facts.st_mode) && !pipe) {
    return fail(Errc::invalid, fmt::format("{}: not a regular file", path));
  }
  if (is_secret && S_ISREG(facts.st_mode) && (facts.st_mode & 077) != 0) {
    return too_open(path, facts.st_mode);
  }
  if (pipe) ::fcntl(file.get(), F_SETFL, 0);
  return read_all(file.get(), path, size_max);
}

}  // namespace

bool has_file(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

Result<std::string> read_input(const std::string& path, std::size_t size_max) {
  auto bytes = read_named(path, size_max, false);
  if (!bytes) return forward_error(bytes);
  return std::string(bytes->reveal());
}

Result<std::optional<std::string>> read_below(const std::string& folder, const std::string& name,
                                              std::size_t size_max) {
  const auto resolved = [](const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                           std::free);
    return real ? std::string(real.get()) : std::string();
  };
  const std::string path = folder + "/" + name;
  const std::string root = resolved(folder);
  if (root.empty()) return system_error(folder, "cannot be looked at", errno, Errc::invalid);
  const std::string file = resolved(path);
  if (file.empty() && (errno == ENOENT || errno == ENOTDIR)) return std::optional<std::string>();
  if (file.empty()) return system_error(path, "cannot be looked at", errno, Errc::invalid);
  const std::string inside = root == "/" ? root : root + "/";
  if (!file.starts_with(inside)) {
    return fail(Errc::unsafe, fmt::format("{}: leads out of {}", path, folder));
  }
  auto text = read_input(file, size_max);
  if (!text) return forward_error(text);
  return std::optional<std::string>(*std::move(text));
}

std::optional<std::vector<std::string>> list_folder(const std::string& path) {
  std::error_code trouble;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path, trouble)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with('.')) names.push_back(std::move(name));
  }
  if (trouble) return std::nullopt;
  std::sort(names.begin(), names.end());
  return names;
}

Result<SecretString> read_secret_input(const std::string& path, std::size_t size_max) {
  return read_named(path, size_max, true);
}

}  // namespace ichor
