#include "os/loop_processes.h"

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/slot.h"
#include "base/clean_text.h"
#include "os/fd.h"
#include "os/spawn.h"

namespace ichor {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t kOutputMax = 64u << 20;
constexpr std::size_t kErrorsMax = 4096;
constexpr Duration kGrace = std::chrono::seconds(5);

enum class Hold { ours, of_another, impossible };

/// Locks the file of a `hold`. The lock belongs to the open file, so a program that inherits the
/// descriptor has it too, and the kernel frees it with the last of them.
Hold take_hold(const Fd& file) {
  if (!file.open()) return Hold::impossible;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return Hold::ours;
  return errno == EWOULDBLOCK ? Hold::of_another : Hold::impossible;
}

/// A stream of a program that is read to its end.
class Reader {
 public:
  using Line = std::function<void(std::string_view)>;

  Reader(asio::io_context& io, int fd, std::size_t keep, bool tail, Line line)
      : stream_(io, fd), keep_(keep), tail_(tail), line_(std::move(line)) {}

  template <class Then>
  void start(Then then) {
    stream_.async_read_some(asio::buffer(buffer_),
                            [this, then](error_code error, std::size_t size) mutable {
                              take(size);
                              if (error || too_much_) {
                                if (line_ && !text_.empty()) line_(std::exchange(text_, {}));
                                ended_ = true;
                                return then();
                              }
                              start(then);
                            });
  }
  bool ended() const { return ended_; }
  bool too_much() const { return too_much_; }
  std::string text() { return std::move(text_); }
  void close() {
    error_code ignored;
    stream_.close(ignored);
  }

 private:
  void take(std::size_t size) {
    text_.append(buffer_.data(), size);
    explicit_bzero(buffer_.data(), size);
    if (line_) hand_over_lines();
    if (text_.size() <= keep_) return;
    if (tail_) {
      text_.erase(0, text_.size() - keep_);
    } else {
      too_much_ = true;
    }
  }

  void hand_over_lines() {
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text_.find('\n', begin)) != text_.npos; begin = end + 1) {
      line_(std::string_view(text_).substr(begin, end - begin));
    }
    text_.erase(0, begin);
  }

  asio::posix::stream_descriptor stream_;
  std::size_t keep_;
  bool tail_;
  Line line_;
  std::array<char, 16384> buffer_{};
  std::string text_;
  bool ended_{false};
  bool too_much_{false};
};

/// One program that runs. Keeps itself alive through its handlers; the caller only tells it to
/// stop.
class Running : public std::enable_shared_from_this<Running> {
 public:
  using Done = std::function<void(Result<ProcessResult>)>;

  Running(asio::io_context& io, ProcessCall call, Done done)
      : io_(io), call_(std::move(call)), done_(std::move(done)), limit_(io) {}

  void start(std::vector<std::string> environment) {
    Pipe in;
    Pipe out;
    Pipe err;
    if (!in.good() || !out.good() || !err.good()) {
      return finish(fail(Errc::io, fmt::format("no pipe: {}", std::strerror(errno))));
    }
    // Ours is closed when this function ends; the program keeps its own.
    const Fd hold(call_.hold.empty() ? -1
                                     : ::open(call_.hold.c_str(),
                                              O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (take_hold(hold) == Hold::of_another) {
      return finish(fail(Errc::locked, fmt::format("an earlier {} still runs; it locks {}",
                                                   call_.program, call_.hold)));
    }
    Spawn program;
    program.keep = hold.get();
    program.arguments = call_.arguments;
    program.arguments.insert(program.arguments.begin(), call_.program);
    program.environment = std::move(environment);
    program.in = in.end(0);
    program.out = out.end(1);
    program.err = err.end(1);
    program.folder = call_.folder;
    program.own_group = true;
    const auto child = spawn(program);
    if (!child) return finish(forward_error(child));
    child_ = *child;
    const int handle = static_cast<int>(::syscall(SYS_pidfd_open, child_, 0));
    if (handle < 0) {
      kill_group(SIGKILL);
      ::waitpid(child_, nullptr, 0);
      return finish(fail(Errc::io, fmt::format("pidfd_open: {}", std::strerror(errno))));
    }
    end_.emplace(io_, handle);
    input_.emplace(io_, in.release(1));
    output_.emplace(io_, out.release(0), kOutputMax, false, call_.output_line);
    errors_.emplace(io_, err.release(0), kErrorsMax, true, call_.error_line);
    converse();
  }

  /// Ends the program; the caller does not want its result any more.
  void stop() {
    if (!done_) return;
    done_ = nullptr;
    end_by_force();
  }

  /// Asks the program to end; its result still comes.
  void call_off() {
    if (done_) end_by_force();
  }

 private:
  void converse() {
    const auto self = shared_from_this();
    const std::string_view input = call_.input.reveal();
    asio::async_write(*input_, asio::buffer(input.data(), input.size()),
                      [self](error_code, std::size_t) { self->input_.reset(); });
    output_->start([self] { self->settle(); });
    errors_->start([self] { self->settle(); });
    await_end();
    limit_.expires_after(call_.limit);
    limit_.async_wait([self](error_code error) {
      if (error) return;
      self->late_ = true;
      self->end_by_force();
    });
  }

  void await_end() {
    end_->async_wait(asio::posix::descriptor_base::wait_read,
                     [self = shared_from_this()](error_code error) {
                       if (!error) self->look_for_end();
                     });
  }

  /// The loop may wake us without a cause: what it keeps for a descriptor is used again for the
  /// next one, and may still hold an event of the one before. So the end is looked for and never
  /// waited for.
  void look_for_end() {
    int status = 0;
    const pid_t ended = ::waitpid(child_, &status, WNOHANG);
    if (ended == 0) return await_end();
    status_ = ended < 0 ? 0xff00 : status;
    // What it started and left behind must not keep its pipes open for ever.
    kill_group(SIGTERM);
    settle();
  }

  void end_by_force() {
    kill_group(SIGTERM);
    limit_.expires_after(std::max(kGrace, call_.grace));
    limit_.async_wait([self = shared_from_this()](error_code error) {
      if (error) return;
      self->kill_group(SIGKILL);
      // What left the group may hold the pipes open for as long as it likes.
      if (self->output_) self->output_->close();
      if (self->errors_) self->errors_->close();
    });
  }

  void kill_group(int signal) const {
    if (child_ > 0) ::kill(-child_, signal);
  }

  void settle() {
    if (output_->too_much() && !status_) return kill_group(SIGKILL);
    if (!status_ || !output_->ended() || !errors_->ended()) return;
    limit_.cancel();
    input_.reset();
    if (output_->too_much()) {
      return finish(fail(
          Errc::io, fmt::format("{}: more than {} bytes of output", call_.program, kOutputMax)));
    }
    if (late_) {
      return finish(fail(Errc::out_of_time, fmt::format("{} did not end within {}", call_.program,
                                                        to_text(call_.limit))));
    }
    ProcessResult result;
    result.exit = exit_of(*status_);
    result.output = SecretString(output_->text());
    result.errors = clean_lines(errors_->text());
    finish(std::move(result));
  }

  void finish(Result<ProcessResult> result) {
    if (Done done = std::exchange(done_, nullptr)) done(std::move(result));
  }

  asio::io_context& io_;
  ProcessCall call_;
  Done done_;
  asio::steady_timer limit_;
  pid_t child_{-1};
  std::optional<asio::posix::stream_descriptor> end_;
  std::optional<asio::posix::stream_descriptor> input_;
  std::optional<Reader> output_;
  std::optional<Reader> errors_;
  std::optional<int> status_;
  bool late_{false};
};

class StopAtEnd {
 public:
  explicit StopAtEnd(Running& running) : running_(running) {}
  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;
  ~StopAtEnd() { running_.stop(); }

 private:
  Running& running_;
};

}  // namespace

LoopProcesses::LoopProcesses(LoopClock& loop, std::string_view path, std::string home)
    : loop_(loop), home_(std::move(home)) {
  while (!path.empty()) {
    const std::string_view folder = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(folder.size() + 1, path.size()));
    if (folder.starts_with('/')) path_ += fmt::format("{}{}", path_.empty() ? "" : ":", folder);
  }
}

std::optional<std::string> LoopProcesses::find(const std::string& name) {
  if (name.starts_with('/')) {
    return ::access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  }
  // A relative path would be looked for below every folder of PATH.
  if (name.find('/') != std::string::npos) return std::nullopt;
  std::string_view rest = path_;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    const std::string path = fmt::format("{}/{}", folder, name);
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

bool LoopProcesses::is_held(const std::string& hold) {
  const Fd file(::open(hold.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  return take_hold(file) == Hold::of_another;
}

Task<Result<ProcessResult>> LoopProcesses::run(Context context, ProcessCall call) {
  using Reply = Slot<Result<ProcessResult>>;
  if (!call.program.starts_with('/')) {
    co_return fail(Errc::invalid, call.program + " is no absolute path");
  }
  std::vector<std::string> environment{"PATH=" + path_, "HOME=" + home_};
  for (const auto& [name, value] : call.variables) {
    environment.push_back(fmt::format("{}={}", name, value));
  }
  for (char** own = environ; call.inherits && *own != nullptr; ++own) {
    const std::string_view entry(*own);
    const std::string name(entry.substr(0, entry.find('=')));
    if (name != "PATH" && name != "HOME" && !call.variables.contains(name)) {
      environment.emplace_back(entry);
    }
  }
  const Duration grace = call.grace;
  const auto slot = std::make_shared<Reply>();
  const auto running = std::make_shared<Running>(
      loop_.io(), std::move(call),
      [slot](Result<ProcessResult> result) { slot->set(std::move(result)); });
  const StopAtEnd guard(*running);
  running->start(std::move(environment));
  Wake wake = co_await Reply::ready(slot, context);
  if (wake != Wake::signalled && grace > Duration{}) {
    running->call_off();
    CancelScope deaf;
    const Context patient{context.clock, &deaf, kNever};
    wake = co_await Reply::ready(slot, patient);
  }
  if (wake == Wake::signalled) co_return slot->take();
  if (wake == Wake::timed_out) co_return fail(Errc::out_of_time, "a program did not end in time");
  co_return fail(Errc::cancelled, "called off");
}

}  // namespace ichor
