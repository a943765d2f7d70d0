#pragma once

#include <list>
#include <utility>

#include "async/signal.h"
#include "async/task.h"

namespace ichor {

/// Children that run side by side and do not outlive this object. Destroying the group destroys
/// what still runs, without running more of it; join() waits for all.
class TaskGroup {
 public:
  explicit TaskGroup(Context context) : context_(context) {}
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Starts `child` at once, up to its first wait.
  void spawn(Task<void> child) {
    ++running_;
    children_.push_back(run(std::move(child)));
    children_.back().start();
  }

  /// Waits until every child has ended. It does not listen to cancellation: children hear of that
  /// themselves and end, and what they own must be settled before the caller goes on.
  Task<void> join() {
    CancelScope deaf;
    const Context context{context_.clock, &deaf, kNever};
    while (running_ > 0) co_await ended_.wait(context);
    children_.clear();
  }

 private:
  Task<void> run(Task<void> child) {
    co_await std::move(child);
    --running_;
    ended_.notify_all();
  }

  Context context_;
  int running_{0};
  Signal ended_;
  std::list<Task<void>> children_;
};

}  // namespace ichor
