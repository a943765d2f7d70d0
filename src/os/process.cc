#include "os/process.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ichor {

namespace {

constexpr int kArenas = 2;

/// The first line of a small file of the system's; empty if there is none.
std::string first_line(const char* path) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::array<char, 256> buffer{};
  const ssize_t size = ::read(fd, buffer.data(), buffer.size());
  ::close(fd);
  if (size <= 0) return {};
  const std::string text(buffer.data(), static_cast<std::size_t>(size));
  return text.substr(0, text.find('\n'));
}

void limit(int resource, bool raise) {
  rlimit bounds{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &bounds) != 0) return;
  bounds.rlim_cur = raise ? bounds.rlim_max : 0;
  // Failing leaves the limit as it was: a run with fewer nodes needs no more.
  setrlimit(static_cast<__rlimit_resource_t>(resource), &bounds);
}

}  // namespace

void harden_process() {
  umask(077);
  limit(RLIMIT_CORE, false);
  limit(RLIMIT_NOFILE, true);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // The leak sanitizer looks at its own process as another one would.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
  std::signal(SIGPIPE, SIG_IGN);
#ifdef M_ARENA_MAX
  // gRPC has many threads; an arena for each would keep what is not used any more.
  mallopt(M_ARENA_MAX, kArenas);
#endif
  for (const char* name : {"SSLKEYLOGFILE", "GRPC_TRACE", "GRPC_VERBOSITY"}) unsetenv(name);
}

LockOwner process_owner(Random& random) {
  LockOwner owner;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) owner.host = host.data();
  owner.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  owner.pid = getpid();
  owner.nonce = fmt::format("{:016x}", random.next());
  return owner;
}

std::string machine_mark() {
  const std::string id = first_line("/etc/machine-id");
  if (id.empty()) return {};
  // The id itself is meant to stay on the machine; FNV-1a of it is enough to see a difference.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : id) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

Result<std::string> program_path() {
  std::error_code trouble;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", trouble);
  if (trouble) return fail(Errc::io, fmt::format("/proc/self/exe: {}", trouble.message()));
  return path.string();
}

std::string absolute_path(const std::string& path) {
  std::error_code trouble;
  const std::filesystem::path absolute = std::filesystem::absolute(path, trouble);
  return trouble ? path : absolute.string();
}

std::string random_id(Random& random) {
  return fmt::format("{:016x}{:016x}", random.next(), random.next());
}

}  // namespace ichor
