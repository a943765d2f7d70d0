#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"

namespace ichor {

/// A file descriptor that is closed when it dies.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  ~OwnedFd();

  int get() const { return fd_; }

 private:
  int fd_{-1};
};

/// The folder of a cluster's state, opened once and then used by descriptor: mode 0700, ours, and
/// not reached through a symbolic link in its last component. Modes are set, not asked of the
/// umask.
class StateFolder {
 public:
  /// With `create`, missing folders are made. Errc::unsafe if the folder belongs to another user or
  /// is a link, Errc::invalid if it is missing.
  static Result<StateFolder> open(std::string path, bool create);

  /// Without symbolic links.
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  struct FileFacts {
    bool exists{false};
    std::uint64_t size{0};
    std::uint64_t inode{0};
  };
  /// Errc::unsafe for anything but a regular file of ours with one name. Takes away the rights of
  /// others. It does not open the file: closing any descriptor of a SQLite database drops the locks
  /// that this process holds on it.
  Result<FileFacts> look(const std::string& name) const;
  Result<void> check_writable(const std::string& name) const;

  /// An empty file that did not exist before, mode 0600.
  Result<void> create_file(const std::string& name) const;
  /// Opens for reading and writing, made if missing, mode 0600.
  Result<OwnedFd> open_file(const std::string& name) const;
  Result<void> remove_file(const std::string& name) const;
  /// Makes the bytes of `from` durable, then its new name.
  Result<void> rename_durably(const std::string& from, const std::string& to) const;
  /// Waits until no other process is in here; until the result dies.
  Result<OwnedFd> exclude_others() const;

 private:
  StateFolder(OwnedFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  OwnedFd fd_;
  std::string path_;
};

}  // namespace ichor
