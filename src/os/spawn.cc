#include "os/spawn.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace ichor {

namespace {

/// The number of a kept descriptor in the program: the first after the standard streams.
constexpr int kKeptAs = STDERR_FILENO + 1;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

Pipe::Pipe() { good_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0; }

Pipe::~Pipe() {
  close(0);
  close(1);
}

void Pipe::close(std::size_t which) {
  if (ends_[which] >= 0) ::close(std::exchange(ends_[which], -1));
}

int Pipe::release(std::size_t which) { return std::exchange(ends_[which], -1); }

Result<pid_t> spawn(const Spawn& program) {
  std::vector<std::string> words = program.arguments;
  std::vector<std::string> variables = program.environment;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (program.in >= 0) posix_spawn_file_actions_adddup2(&actions, program.in, STDIN_FILENO);
  if (program.out >= 0) posix_spawn_file_actions_adddup2(&actions, program.out, STDOUT_FILENO);
  if (program.err >= 0) posix_spawn_file_actions_adddup2(&actions, program.err, STDERR_FILENO);
  if (program.keep >= 0) posix_spawn_file_actions_adddup2(&actions, program.keep, kKeptAs);
  if (!program.folder.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, program.folder.c_str());
  }
  // We ignore SIGPIPE, and what is ignored stays so in a child, which does not expect it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  const int group = program.own_group ? POSIX_SPAWN_SETPGROUP : 0;
  posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGDEF | group));
  pid_t child = 0;
  const int error = posix_spawnp(&child, words.front().c_str(), &actions, &attributes,
                                 pointers(words).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return child;
  const bool missing = error == ENOENT || error == ENOTDIR || error == EACCES;
  return fail(missing ? Errc::invalid : Errc::io,
              fmt::format("{}: {}", words.front(), std::strerror(error)));
}

int exit_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

}  // namespace ichor
