#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/command_line.h"
#include "command/commands.h"
#include "os/loop_clock.h"
#include "os/process.h"
#include "os/terminal.h"
#include "view/fd_writer.h"
#include "view/json_display.h"
#include "view/text_display.h"

namespace ichor {

namespace {

/// The machine this process runs on. Parts are made when they are first asked for: most commands need
/// few of them.
class MachineDesk final : public Desk {
 public:
  explicit MachineDesk(const CommonOptions& common) : common_(common) {}

  Display& display() override {
    if (!display_) display_ = make_display();
    return *display_;
  }
  std::ostream& out() override { return std::cout; }
  double stopwatch() override {
    return std::chrono::duration<double>(loop().now().time_since_epoch()).count();
  }
  int processor_count() override {
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }

  /// The exit code after all that was said has arrived: data that could not be written is a failure,
  /// a reader that is gone is not.
  int leave(Exit exit);

 private:
  LoopClock& loop() {
    if (!loop_) loop_ = std::make_unique<LoopClock>();
    return *loop_;
  }
  std::unique_ptr<Display> make_display();

  const CommonOptions& common_;
  std::unique_ptr<LoopClock> loop_;
  std::unique_ptr<FdWriter> out_, err_;
  std::unique_ptr<Display> display_;
};

std::unique_ptr<Display> MachineDesk::make_display() {
  out_ = std::make_unique<FdWriter>(STDOUT_FILENO);
  if (common_.output == OutputFormat::json) {
    return std::make_unique<JsonDisplay>(*out_, common_.quiet);
  }
  err_ = std::make_unique<FdWriter>(STDERR_FILENO);
  TextDisplay::Options options;
  options.quiet = common_.quiet;
  if (terminal_size(STDERR_FILENO)) {
    options.canvas = [color = wants_color()] {
      const TerminalSize size = terminal_size(STDERR_FILENO).value_or(TerminalSize{});
      return Canvas{size.columns, size.rows, color};
    };
  }
  return std::make_unique<TextDisplay>(loop(), *out_, *err_, std::move(options));
}

int MachineDesk::leave(Exit exit) {
  int code = static_cast<int>(exit);
  int trouble = std::cout.flush() ? 0 : errno;
  if (out_) {
    const bool in_a_hurry = exit == Exit::interrupted || exit == Exit::terminated;
    // A pager may take its time, but not from somebody who wants to leave.
    const bool written =
        out_->drain(in_a_hurry ? std::chrono::seconds(2) : std::chrono::hours(24));
    if (!written) _exit(code);
    trouble = out_->trouble();
  }
  if (trouble != 0 && trouble != EPIPE) {
    std::cerr << fmt::format("ichor: standard output: {}\n", std::strerror(trouble));
    code = std::max(code, static_cast<int>(Exit::failed));
  }
  return code;
}

int refuse(const Misuse& misuse) {
  if (misuse.output == OutputFormat::table) {
    std::cerr << fmt::format("ichor: {}\n", misuse.message);
    return static_cast<int>(Exit::usage);
  }
  CommonOptions common;
  common.output = misuse.output;
  MachineDesk desk(common);
  Summary summary;
  summary.result.exit = Exit::usage;
  summary.result.verdict = misuse.message;
  desk.display().end(summary);
  return desk.leave(Exit::usage);
}

int run_main(std::vector<std::string> words) {
  harden_process();
  const CommandLine line = parse_command_line(words);
  if (const Misuse* misuse = std::get_if<Misuse>(&line)) return refuse(*misuse);
  const Invocation* invocation = std::get_if<Invocation>(&line);
  const CommonOptions common = invocation ? invocation->common : CommonOptions{};
  MachineDesk desk(common);
  if (invocation) return desk.leave(run_command(*invocation, desk));
  desk.out() << std::get<HelpWanted>(line).text;
  return desk.leave(Exit::done);
}

}  // namespace

}  // namespace ichor

int main(int argc, char** argv) { return ichor::run_main({argv + std::min(argc, 1), argv + argc}); }
