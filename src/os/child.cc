#include "os/child.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "os/spawn.h"

extern char** environ;

namespace ichor {

namespace {

constexpr std::size_t kOutputMax = 16u << 20;

std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> list;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable(*at);
    if (!variables.contains(std::string(variable.substr(0, variable.find('='))))) {
      list.emplace_back(variable);
    }
  }
  for (const auto& [name, value] : variables) list.push_back(fmt::format("{}={}", name, value));
  return list;
}

/// Writes the input and reads the output at the same time: either side may wait for the other.
Result<SecretString> converse(const ChildCall& call, Pipe& in, Pipe& out) {
  std::string_view input = call.input.reveal();
  std::string output;
  std::array<char, 65536> buffer{};
  ::fcntl(in.end(1), F_SETFL, O_NONBLOCK);
  bool open = true;
  while (open && output.size() <= kOutputMax) {
    if (input.empty()) in.close(1);
    std::array<pollfd, 2> fds{pollfd{out.end(0), POLLIN, 0}, pollfd{in.end(1), POLLOUT, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) break;
    if (fds[1].revents != 0 && !input.empty()) {
      const ssize_t count = ::write(in.end(1), input.data(), input.size());
      if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
      if (count < 0 && errno != EAGAIN && errno != EINTR) input = {};  // it does not want it
    }
    if (fds[0].revents != 0) {
      const ssize_t count = ::read(out.end(0), buffer.data(), buffer.size());
      if (count > 0) output.append(buffer.data(), static_cast<std::size_t>(count));
      open = count > 0 || (count < 0 && errno == EINTR);
    }
  }
  explicit_bzero(buffer.data(), buffer.size());
  SecretString result(std::move(output));
  if (result.size() > kOutputMax) {
    return fail(Errc::io, fmt::format("{}: more than {} bytes of output", call.arguments.front(),
                                      kOutputMax));
  }
  return result;
}

}  // namespace

Result<ChildResult> run_child(const ChildCall& call) {
  if (call.arguments.empty()) return fail(Errc::invalid, "no program is named");
  Pipe in;
  Pipe out;
  if (!in.good() || !out.good()) {
    return fail(Errc::io, fmt::format("no pipe: {}", std::strerror(errno)));
  }
  Spawn program;
  program.arguments = call.arguments;
  program.environment = environment_with(call.variables);
  program.in = in.end(0);
  program.out = out.end(1);
  const auto child = spawn(program);
  if (!child) return tl::unexpected(child.error());
  in.close(0);
  out.close(1);
  auto output = converse(call, in, out);
  in.close(1);
  out.close(0);
  int status = 0;
  while (::waitpid(*child, &status, 0) < 0) {
    if (errno != EINTR) return fail(Errc::io, "a program that was started is gone");
  }
  if (!output) return tl::unexpected(std::move(output).error());
  return ChildResult{exit_of(status), *std::move(output)};
}

}  // namespace ichor
