#include "os/signals.h"

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "base/check.h"
#include "os/loop_clock.h"

namespace ichor {

namespace {

// A signal handler has no argument of ours, so what it needs is global.
std::atomic<int> wake_fd{-1};
std::atomic<bool> asked_once{false};
static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_stop_signal(int signal) {
  if (asked_once.exchange(true)) _exit(128 + signal);
  const auto byte = static_cast<unsigned char>(signal);
  // Nothing can be done about a failure here; the second signal ends the process all the same.
  [[maybe_unused]] const ssize_t written = write(wake_fd.load(), &byte, 1);
}

}  // namespace

struct StopSignals::Impl {
  Impl(LoopClock& loop, std::array<int, 2> pipe, std::function<void(int)> callback)
      : reader(loop.io(), pipe[0]), writer(pipe[1]), callback(std::move(callback)) {}

  void listen() {
    reader.async_read_some(boost::asio::buffer(byte),
                           [this](const boost::system::error_code& error, std::size_t count) {
                             if (error || count == 0) return;
                             const int signal = byte[0];
                             listen();
                             // Last, because it may end who owns this.
                             callback(signal);
                           });
  }

  boost::asio::posix::stream_descriptor reader;
  int writer;
  std::function<void(int)> callback;
  std::array<unsigned char, 1> byte{};
  struct sigaction old_interrupt {};
  struct sigaction old_terminate {};
  struct sigaction old_pipe {};
};

StopSignals::StopSignals(LoopClock& loop, std::function<void(int)> asked_to_stop) {
  std::array<int, 2> pipe{};
  check(pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK) == 0, "a pipe for signals can be made");
  check(wake_fd.exchange(pipe[1]) == -1, "only one StopSignals exists at a time");
  asked_once = false;
  impl_ = std::make_unique<Impl>(loop, pipe, std::move(asked_to_stop));
  impl_->listen();

  struct sigaction stop {};
  stop.sa_handler = on_stop_signal;
  stop.sa_flags = SA_RESTART;
  sigemptyset(&stop.sa_mask);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &stop, &impl_->old_interrupt);
  sigaction(SIGTERM, &stop, &impl_->old_terminate);
  sigaction(SIGPIPE, &ignore, &impl_->old_pipe);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &impl_->old_interrupt, nullptr);
  sigaction(SIGTERM, &impl_->old_terminate, nullptr);
  sigaction(SIGPIPE, &impl_->old_pipe, nullptr);
  wake_fd = -1;
  close(impl_->writer);
}

}  // namespace ichor
