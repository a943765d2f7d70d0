#include "os/large_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "os/fd.h"
#include "os/system_error.h"

namespace ichor {

namespace {

Result<std::string> read_at(int fd, const std::string& path, std::uint64_t at, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got =
        ::pread(fd, bytes.data() + done, count - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path, "cannot be read", errno);
    if (got == 0) return fail(Errc::invalid, path + ": the file ends too early");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

class OpenFile final : public ByteSource {
 public:
  OpenFile(int fd, std::string path, std::uint64_t size)
      : fd_(fd), path_(std::move(path)), size_(size) {}
  std::uint64_t size() const override { return size_; }
  Result<std::string> read(std::uint64_t at, std::size_t count) const override {
    return read_at(fd_.get(), path_, at, count);
  }

 private:
  Fd fd_;
  std::string path_;
  std::uint64_t size_;
};

class PartFile final : public Files::Draft {
 public:
  PartFile(Folder folder, std::string name, int fd)
      : folder_(std::move(folder)), name_(std::move(name)), fd_(fd) {}
  ~PartFile() override {
    if (!kept_) ::unlinkat(folder_.fd(), part().c_str(), 0);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  Result<void> take(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = ::write(fd_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return system_error(path(), "cannot be written", errno);
      bytes.remove_prefix(static_cast<std::size_t>(count));
      size_ += static_cast<std::uint64_t>(count);
    }
    return {};
  }
  std::uint64_t size() const override { return size_; }
  Result<std::string> read(std::uint64_t at, std::size_t count) const override {
    return read_at(fd_.get(), path(), at, count);
  }

  Result<void> keep() override {
    if (::fsync(fd_.get()) != 0) return system_error(path(), "cannot be synced", errno);
    const int fd = folder_.fd();
    if (::renameat2(fd, part().c_str(), fd, name_.c_str(), RENAME_NOREPLACE) != 0) {
      // A file system without that; a link, too, replaces nothing.
      const bool linked =
          errno == EINVAL && ::linkat(fd, part().c_str(), fd, name_.c_str(), 0) == 0;
      if (!linked && errno == EEXIST) {
        return fail(Errc::invalid, fmt::format("{}/{} already exists", folder_.path(), name_));
      }
      if (!linked) return system_error(path(), "cannot be put in place", errno);
      ::unlinkat(fd, part().c_str(), 0);
    }
    kept_ = true;
    if (::fsync(fd) != 0) return system_error(folder_.path(), "cannot be synced", errno);
    return {};
  }

 private:
  std::string part() const { return name_ + ".part"; }
  std::string path() const { return folder_.path() + "/" + part(); }

  Folder folder_;
  std::string name_;
  Fd fd_;
  std::uint64_t size_{0};
  bool kept_{false};
};

}  // namespace

Result<std::unique_ptr<Files::Draft>> make_draft(Folder folder, const std::string& name) {
  const std::string part = name + ".part";
  const std::string path = folder.path() + "/" + part;
  if (name.empty() || name == "." || name == "..") {
    return fail(Errc::invalid, path + ": no plain file name");
  }
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int made = ::openat(folder.fd(), part.c_str(), flags, 0600);
  if (made < 0 && errno == EEXIST) {  // left by a process that was killed
    ::unlinkat(folder.fd(), part.c_str(), 0);
    made = ::openat(folder.fd(), part.c_str(), flags, 0600);
  }
  if (made < 0) return system_error(path, "cannot be made", errno);
  Fd fd(made);
  // The umask may have taken bits, never added any; an ACL of the folder may have.
  if (::fchmod(fd.get(), 0600) != 0) return system_error(path, "cannot be made private", errno);
  return std::make_unique<PartFile>(std::move(folder), name, fd.release());
}

Result<std::unique_ptr<ByteSource>> open_large_file(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.open()) return system_error(path, "cannot be opened", errno, Errc::invalid);
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return system_error(path, "cannot be looked at", errno);
  if (!S_ISREG(facts.st_mode)) return fail(Errc::invalid, path + ": not a regular file");
  return std::make_unique<OpenFile>(fd.release(), path, static_cast<std::uint64_t>(facts.st_size));
}

Result<void> remove_file(const Folder& folder, const std::string& name) {
  struct stat facts {};
  if (::fstatat(folder.fd(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    return system_error(folder.path() + "/" + name, "cannot be looked at", errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    return fail(Errc::unsafe, fmt::format("{}/{}: not a regular file", folder.path(), name));
  }
  if (::unlinkat(folder.fd(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return system_error(folder.path() + "/" + name, "cannot be removed", errno);
  }
  if (::fsync(folder.fd()) != 0) return system_error(folder.path(), "cannot be synced", errno);
  return {};
}

}  // namespace ichor
