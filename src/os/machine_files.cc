#include "os/machine_files.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>

#include "os/durable_file.h"
#include "os/fd.h"
#include "os/git_guard.h"
#include "os/large_file.h"
#include "os/process.h"
#include "os/temp_dir.h"

namespace ichor {

namespace {

constexpr std::size_t kInputMax = 4u << 20;
constexpr int kHoldPauseMs = 20;
constexpr int kHoldTries = 500;

/// The folder of a path, made if it is missing, and the name in it.
Result<std::pair<Folder, std::string>> place_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash);
  auto folder = Folder::make(parent.empty() ? "/" : parent, Folder::Access::shared);
  if (!folder) return forward_error(folder);
  return std::pair(*std::move(folder), slash == std::string::npos ? path : path.substr(slash + 1));
}

/// Creates a file that must not be there, or with `force` keeps what is there as a backup.
Result<void> create(const std::string& path, const SecretString& content, bool force, Sync sync) {
  const auto place = place_of(path);
  if (!place) return forward_error(place);
  if (force) return write_file(place->first, place->second, content);
  const auto created = create_file(place->first, place->second, content, sync);
  if (!created) return forward_error(created);
  if (*created) return {};
  return fail(Errc::invalid, path + " already exists; --force replaces it");
}

/// A lock on the folder: it needs no file of its own, and the kernel frees it with the process.
class FolderHold final : public Files::Hold {
 public:
  explicit FolderHold(int fd) : fd_(fd) {}
  const Fd& fd() const { return fd_; }

 private:
  Fd fd_;
};

}  // namespace

Result<std::unique_ptr<Files::Hold>> MachineFiles::hold(const std::string& path) {
  const auto place = place_of(path);
  if (!place) return forward_error(place);
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  auto held =
      std::make_unique<FolderHold>(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Whoever holds it reads and writes one small file.
  for (int tries = 0; held->fd().open() && tries < kHoldTries; ++tries) {
    if (::flock(held->fd().get(), LOCK_EX | LOCK_NB) == 0) return held;
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    ::poll(nullptr, 0, kHoldPauseMs);
  }
  if (!held->fd().open() || errno != EWOULDBLOCK) {
    return fail(Errc::io,
                fmt::format("{}: cannot lock the folder: {}", folder, std::strerror(errno)));
  }
  return fail(Errc::locked,
              fmt::format("{}: another ichor is changing this folder; try again", folder));
}

Result<std::unique_ptr<Files::Draft>> MachineFiles::draft(const std::string& path) {
  auto place = place_of(path);
  if (!place) return forward_error(place);
  return make_draft(std::move(place->first), place->second);
}

Result<std::unique_ptr<ByteSource>> MachineFiles::open_large(const std::string& path) {
  return open_large_file(path);
}

Result<void> MachineFiles::remove(const std::string& path) {
  const auto place = place_of(path);
  if (!place) return forward_error(place);
  return remove_file(place->first, place->second);
}

std::string MachineFiles::absolute(const std::string& path) { return absolute_path(path); }

bool MachineFiles::has_file(const std::string& path) { return ichor::has_file(path); }

std::optional<std::vector<std::string>> MachineFiles::list_folder(const std::string& path) {
  return ichor::list_folder(path);
}

Result<std::string> MachineFiles::read_input(const std::string& path) {
  return ichor::read_input(path, kInputMax);
}

Result<SecretString> MachineFiles::read_secret(const std::string& path) {
  return read_secret_input(path, kInputMax);
}

Result<std::optional<std::string>> MachineFiles::read_below(const std::string& folder,
                                                            const std::string& name) {
  return ichor::read_below(folder, name, kInputMax);
}

Result<void> MachineFiles::write_private(const std::string& path, const SecretString& content) {
  const auto place = place_of(path);
  if (!place) return forward_error(place);
  return replace_file(place->first, place->second, content);
}

Result<void> MachineFiles::create_private(const std::string& path, const SecretString& content,
                                          bool force) {
  return create(path, content, force, Sync::yes);
}

Result<void> MachineFiles::create_reproducible(const std::string& path, const SecretString& content,
                                               bool force) {
  return create(path, content, force, Sync::no);
}

Result<void> MachineFiles::export_secret(const std::string& path, const SecretString& content) {
  if (auto allowed = refuse_committable(path); !allowed) return allowed;
  const auto place = place_of(path);
  if (!place) return forward_error(place);
  return write_file(place->first, place->second, content);
}

Result<void> MachineFiles::may_export(const std::string& path) { return refuse_committable(path); }

Result<std::string> MachineFiles::make_temp_dir() {
  auto made = ichor::make_temp_dir("ichor-lab");
  if (made) temp_made_(*made);
  return made;
}

void MachineFiles::remove_temp_dir(const std::string& path) { ichor::remove_temp_dir(path); }

}  // namespace ichor
