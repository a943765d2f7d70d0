#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace ichor {

/// The one way from gRPC's and the prober's threads to the loop. Shared by all that may call back,
/// so that a callback which comes after the adapter's end finds it closed instead of a dead loop.
class Mailbox {
 public:
  using Work = std::function<void()>;
  /// Must be thread-safe and must run the work later, on the loop's thread.
  using Post = std::function<void(Work)>;

  explicit Mailbox(Post post) : post_(std::move(post)) {}

  /// Drops the work if the mailbox is closed.
  void post(Work work) {
    const std::lock_guard lock(mutex_);
    if (post_) post_(std::move(work));
  }

  /// When this returns, nothing is posted any more.
  void close() {
    const std::lock_guard lock(mutex_);
    post_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Post post_;
};

}  // namespace ichor
