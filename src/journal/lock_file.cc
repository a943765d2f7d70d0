#include "journal/lock_file.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system_fault.h"
#include "journal/sqlite_db.h"

namespace ichor {

namespace {
tl::unexpected<Error> failed(int number, std::string_view doing) {
  std::string message = "cannot ";
  message += doing;
  message += " the lock file: " + errno_text(number);
  return fail(Errc::io, std::move(message), fault_of_errno(number));
}
}  // namespace

Result<LockFile> LockFile::open(const StateFolder& folder) {
  auto fd = folder.open_file(kName);
  if (!fd) return forward_error(fd);
  struct stat opened {};
  if (::fstat(fd->get(), &opened) != 0) return failed(errno, "look at");
  return LockFile(*std::move(fd), opened.st_ino);
}

Result<bool> LockFile::try_lock(std::int64_t generation) {
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = generation;
  byte.l_len = 1;
  if (::fcntl(fd_.get(), F_OFD_SETLK, &byte) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return failed(errno, "lock");
}

Result<bool> LockFile::in_place(const StateFolder& folder) const {
  const auto seen = folder.look(kName);
  if (!seen) return forward_error(seen);
  return seen->exists && seen->inode == inode_;
}

Result<void> LockFile::write(std::string_view text) {
  if (::ftruncate(fd_.get(), 0) != 0) return failed(errno, "empty");
  if (text.empty()) return {};
  const ssize_t written = ::pwrite(fd_.get(), text.data(), text.size(), 0);
  if (written < 0) return failed(errno, "write");
  if (static_cast<std::size_t>(written) != text.size()) return failed(ENOSPC, "write");
  return {};
}

}  // namespace ichor
