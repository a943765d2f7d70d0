#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <utility>

namespace ichor {

/// Work on a thread of its own, started at once, whose result is wanted later. Who destroys it
/// before the work is done tells the work to give up and waits until it has.
template <class T>
class SideJob {
 public:
  using Work = std::function<T(const std::atomic<bool>& give_up)>;

  explicit SideJob(Work work)
      : give_up_(std::make_unique<std::atomic<bool>>(false)),
        result_(std::async(std::launch::async, [work = std::move(work), stop = give_up_.get()] {
          return work(*stop);
        })) {}
  SideJob(SideJob&&) noexcept = default;
  SideJob& operator=(SideJob&&) = delete;
  ~SideJob() {
    if (give_up_) *give_up_ = true;
    if (result_.valid()) result_.wait();
  }

  /// Blocks until the work is done. Called once.
  T take() { return result_.get(); }

 private:
  std::unique_ptr<std::atomic<bool>> give_up_;
  std::future<T> result_;
};

}  // namespace ichor
