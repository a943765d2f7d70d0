#include "lab/control.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/control_server.h"
#include "os/durable_file.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

constexpr std::size_t kReplyMax = 16u << 20;
constexpr int kReplyLimitMs = 10'000;
constexpr int kLookAgainMs = 20;

/// A connection to a lab's control socket.
class Line {
 public:
  static Result<Line> open(const std::string& state_dir) {
    const auto folder = Folder::open(state_dir, Folder::Access::owner_only);
    if (!folder) return forward_error(folder);
    Line line(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const std::string path = socket_path(*folder);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (line.fd_ < 0 ||
        ::connect(line.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      return fail(Errc::io, "no lab runs in " + state_dir);
    }
    return line;
  }
  Line(Line&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Line& operator=(Line&&) = delete;
  ~Line() {
    if (fd_ >= 0) ::close(fd_);
  }

  Result<json> ask(const json& request) {
    const std::string text = request.dump() + "\n";
    if (::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) {
      return fail(Errc::io, "the lab does not take orders");
    }
    std::string reply;
    while (!reply.ends_with('\n')) {
      if (!readable(kReplyLimitMs)) return fail(Errc::out_of_time, "the lab does not answer");
      char piece[4096];
      const ssize_t size = ::recv(fd_, piece, sizeof(piece), 0);
      if (size <= 0 || reply.size() > kReplyMax) return fail(Errc::io, "the lab hung up");
      reply.append(piece, static_cast<std::size_t>(size));
    }
    json value = json::parse(reply, nullptr, false);
    if (!value.is_object()) return fail(Errc::io, "the lab answered something else");
    if (!value.value("ok", false)) return fail(Errc::invalid, value.value("error", "refused"));
    return value;
  }

  /// Waits for bytes or the other side's end.
  bool readable(int limit_ms) {
    pollfd entry{fd_, POLLIN, 0};
    return ::poll(&entry, 1, limit_ms) > 0;
  }
  bool hung_up() {
    char byte;
    return ::recv(fd_, &byte, 1, MSG_DONTWAIT) == 0;
  }

 private:
  explicit Line(int fd) : fd_(fd) {}
  int fd_;
};

Result<json> ask_lab(const std::string& state_dir, const json& request) {
  auto line = Line::open(state_dir);
  if (!line) return forward_error(line);
  return line->ask(request);
}

int to_ms(Duration duration) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

std::string last_log_line(const std::string& state_dir) {
  const auto text = read_input(state_dir + "/lab.log", 1u << 20);
  if (!text) return "";
  std::string log = *text;
  while (log.ends_with('\n')) log.pop_back();
  return log.substr(log.rfind('\n') + 1);
}

/// Runs in the child, between fork and exec: system calls only.
[[noreturn]] void become(const LabProcess& process, char* const* argv, int log_fd, pid_t parent) {
  if (process.dies_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);
  } else {
    ::setsid();
  }
  const int null_fd = ::open("/dev/null", O_RDONLY);
  ::dup2(null_fd, 0);
  ::dup2(log_fd, 1);
  ::dup2(log_fd, 2);
  ::execv(argv[0], argv);
  ::_exit(127);
}

/// Until the child has ended or the time is over; true if it ended.
bool ended_within(pid_t child, int limit_ms) {
  ::poll(nullptr, 0, limit_ms);
  return ::waitpid(child, nullptr, WNOHANG) == child;
}

}  // namespace

Result<LabStatus> status_of(const std::string& state_dir) {
  const auto reply = ask_lab(state_dir, {{"op", "status"}});
  if (!reply) return forward_error(reply);
  return status_from_json((*reply)["status"].dump());
}

Result<std::string> inject_into(const std::string& state_dir, const Injection& injection) {
  const auto reply = ask_lab(state_dir, {{"op", "inject"},
                                         {"node", injection.node.value()},
                                         {"fault", injection.fault},
                                         {"call", injection.call},
                                         {"lasts_ms", to_ms(injection.lasts)}});
  if (!reply) return forward_error(reply);
  return reply->value("text", "");
}

Result<void> stop_lab(const std::string& state_dir, Duration patience) {
  auto line = Line::open(state_dir);
  if (!line) return forward_error(line);
  if (const auto reply = line->ask({{"op", "stop"}}); !reply) {
    return forward_error(reply);
  }
  // The lab holds the line until its process ends.
  if (line->readable(to_ms(patience)) && line->hung_up()) return {};
  return fail(Errc::out_of_time, "the lab in " + state_dir + " does not end");
}

Result<LabStatus> start_process(const LabProcess& process) {
  const auto folder = Folder::make(process.state_dir, Folder::Access::owner_only);
  if (!folder) return forward_error(folder);
  const int log_fd = ::openat(folder->fd(), "lab.log",
                              O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (log_fd < 0) return fail(Errc::io, "cannot write " + process.state_dir + "/lab.log");
  std::vector<char*> argv;
  for (const std::string& word : process.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become(process, argv.data(), log_fd, parent);
  ::close(log_fd);
  if (child < 0)
    return fail(Errc::io, std::string("cannot start a process: ") + std::strerror(errno));
  for (int waited_ms = 0; waited_ms < to_ms(process.patience); waited_ms += kLookAgainMs) {
    if (ended_within(child, kLookAgainMs)) {
      return fail(Errc::io, "the lab did not start: " + last_log_line(process.state_dir));
    }
    auto status = status_of(process.state_dir);
    if (status && status->pid == child) return status;
  }
  ::kill(child, SIGTERM);
  return fail(Errc::out_of_time, "the lab did not answer in time");
}

}  // namespace ichor::lab
