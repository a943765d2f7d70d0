#include "os/git_guard.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ichor {

namespace {

namespace fs = std::filesystem;

/// The nearest folder above `path` that has a `.git`; empty if there is none.
fs::path work_tree_of(fs::path path) {
  for (fs::path at = path.parent_path();; at = at.parent_path()) {
    std::error_code ignored;
    if (fs::exists(at / ".git", ignored)) return at;
    if (at == at.root_path() || at.empty()) return {};
  }
}

std::string find_git() {
  for (const char* path : {"/usr/bin/git", "/usr/local/bin/git", "/bin/git"}) {
    if (::access(path, X_OK) == 0) return path;
  }
  return {};
}

/// Git's exit code; nothing if it could not be run.
std::optional<int> ask_git(const std::string& git, const std::string& folder,
                           const std::string& path) {
  // A hook of the repository must not run because ichor asks a question about it.
  std::vector<std::string> words{
      git, "-C", folder, "-c", "core.fsmonitor=false", "check-ignore", "--quiet", "--", path};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // The operator's own ignore file counts; nothing else of the environment does.
  std::vector<std::string> variables;
  for (const char* name : {"HOME", "XDG_CONFIG_HOME"}) {
    if (const char* value = std::getenv(name))
      variables.push_back(fmt::format("{}={}", name, value));
  }
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {0, 1, 2}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
  }
  pid_t child = 0;
  const int error =
      posix_spawn(&child, git.c_str(), &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::nullopt;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  return WIFEXITED(status) ? std::optional<int>(WEXITSTATUS(status)) : std::nullopt;
}

}  // namespace

Result<void> refuse_committable(const std::string& path) {
  std::error_code trouble;
  // A folder that does not exist yet is under a rule as well, so only what exists is resolved.
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, trouble), trouble);
  if (trouble) return fail(Errc::io, fmt::format("{}: {}", path, trouble.message()));
  const fs::path tree = work_tree_of(whole);
  if (tree.empty()) return {};
  const std::string git = find_git();
  const auto answer = git.empty() ? std::nullopt : ask_git(git, tree.string(), whole.string());
  constexpr int ignored = 0;
  constexpr int seen = 1;
  if (answer == ignored) return {};
  if (answer == seen) {
    return fail(
        Errc::unsafe,
        fmt::format("{} lies in a git work tree and is not ignored there: a secret would be "
                    "committed. Add it to .gitignore, or name another place",
                    path),
        "O5");
  }
  return fail(Errc::unsafe,
              fmt::format("{} lies in a git work tree, and git could not say whether it is ignored "
                          "there. Name another place",
                          path),
              "O5");
}

}  // namespace ichor
