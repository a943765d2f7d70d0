#include "view/fd_writer.h"

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <poll.h>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace ichor {

namespace {
constexpr std::size_t kQueuedMax = 4u << 20;
}  // namespace

struct FdWriter::Shared {
  explicit Shared(int fd) : fd(fd) {}

  void run();
  int put(std::string_view text) const;

  const int fd;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> queue;
  std::size_t queued_bytes{0};
  std::uint64_t dropped{0};
  bool busy{false};
  bool closing{false};
  int trouble{0};
  std::thread thread;  // from the first text on; most commands write to one descriptor only
};

/// 0, or the errno that says why the rest was not written.
int FdWriter::Shared::put(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return errno;
    // Another process made the descriptor non-blocking.
    pollfd ready{fd, POLLOUT, 0};
    ::poll(&ready, 1, -1);
  }
  return 0;
}

void FdWriter::Shared::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return closing || !queue.empty(); });
    if (queue.empty()) return;
    const std::string text = std::move(queue.front());
    queue.pop_front();
    queued_bytes -= text.size();
    busy = true;
    if (trouble == 0) {
      lock.unlock();
      const int error = put(text);
      lock.lock();
      trouble = error;
    }
    busy = false;
    changed.notify_all();
  }
}

FdWriter::FdWriter(int fd) : shared_(std::make_unique<Shared>(fd)) {}

FdWriter::~FdWriter() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->closing = true;
  }
  shared_->changed.notify_all();
  if (shared_->thread.joinable()) shared_->thread.join();
}

void FdWriter::write(std::string text, Keep keep) {
  if (text.empty()) return;
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->trouble != 0) return;
    if (keep == Keep::if_room && shared_->queued_bytes > kQueuedMax) {
      ++shared_->dropped;
      return;
    }
    shared_->queued_bytes += text.size();
    shared_->queue.push_back(std::move(text));
    if (!shared_->thread.joinable()) {
      shared_->thread = std::thread([shared = shared_.get()] { shared->run(); });
    }
  }
  shared_->changed.notify_all();
}

bool FdWriter::idle() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->queue.empty() && !shared_->busy;
}

std::uint64_t FdWriter::dropped() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->dropped;
}

int FdWriter::trouble() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->trouble;
}

bool FdWriter::drain(Duration limit) {
  std::unique_lock lock(shared_->mutex);
  return shared_->changed.wait_for(lock, limit,
                                   [this] { return shared_->queue.empty() && !shared_->busy; });
}

}  // namespace ichor
