#include "lab/store.h"

#include <condition_variable>
#include <deque>
#include <fcntl.h>
#include <mutex>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "lab/patience.h"

namespace ichor::lab {

namespace {

constexpr const char* kLockFile = "lock";
constexpr std::size_t kFileMax = 64u << 20;

struct Job {
  std::vector<StateFile> files;
  Store::Done done;
};

}  // namespace

struct Store::Impl {
  Impl(Folder folder, int lock_fd, LoopClock& loop)
      : folder(std::move(folder)), lock_fd(lock_fd), loop(loop), thread([this] { work(); }) {}

  ~Impl() {
    {
      const std::lock_guard guard(mutex);
      stopping = true;
    }
    woken.notify_one();
    thread.join();
    ::close(lock_fd);
  }

  /// What was asked for before the end is still written.
  void work() {
    std::unique_lock guard(mutex);
    while (true) {
      woken.wait(guard, [this] { return stopping || !jobs.empty(); });
      if (jobs.empty()) return;
      Job job = std::move(jobs.front());
      jobs.pop_front();
      guard.unlock();
      auto result = replace_files(folder, job.files);
      loop.post([done = std::move(job.done), result = std::move(result)] { done(result); });
      guard.lock();
    }
  }

  Folder folder;
  int lock_fd;
  LoopClock& loop;
  std::mutex mutex;
  std::condition_variable woken;
  std::deque<Job> jobs;
  bool stopping{false};
  std::thread thread;
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(const std::string& state_dir, LoopClock& loop) {
  auto folder = Folder::make(state_dir, Folder::Access::owner_only);
  if (!folder) return forward_error(folder);
  const int lock_fd =
      ::openat(folder->fd(), kLockFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock_fd < 0) return fail(Errc::io, "cannot open " + state_dir + "/" + kLockFile);
  if (!eventually([&] { return ::flock(lock_fd, LOCK_EX | LOCK_NB) == 0; })) {
    ::close(lock_fd);
    return fail(Errc::locked, "another lab uses " + state_dir);
  }
  // The machines' configs lie here in plain text.
  const auto ignored = replace_files(*folder, {{".gitignore", "*\n"}});
  if (!ignored) {
    ::close(lock_fd);
    return forward_error(ignored);
  }
  auto impl = std::make_unique<Impl>(std::move(*folder), lock_fd, loop);
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

const std::string& Store::path() const { return impl_->folder.path(); }
const Folder& Store::folder() const { return impl_->folder; }

Result<std::string> Store::read(const std::string& name) const {
  auto content = read_file(impl_->folder, name, kFileMax);
  if (!content) return forward_error(content);
  return *content ? std::string((*content)->reveal()) : std::string();
}

Result<std::vector<std::string>> Store::list(const std::string& suffix) const {
  return list_files(impl_->folder, suffix);
}

void Store::write(std::vector<StateFile> files, Done done) {
  {
    const std::lock_guard guard(impl_->mutex);
    impl_->jobs.push_back({std::move(files), std::move(done)});
  }
  impl_->woken.notify_one();
}

}  // namespace ichor::lab
