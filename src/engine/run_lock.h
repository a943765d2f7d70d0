#pragma once

#include <chrono>
#include <utility>

#include "async/context.h"
#include "async/signal.h"
#include "async/task.h"
#include "model/run_result.h"
#include "port/journal.h"

namespace ichor {

/// Holds the lock of a cluster's journal from the first look of a run to its verdict: whatever way
/// the run ends, the lock goes with this object.
class RunLock {
 public:
  /// Errc::locked names the holder. While another run takes the lock, or gives it back, there is no
  /// name yet: then this one asks again for a while.
  static Task<Result<RunLock>> take(Context context, Journal& journal, LockOwner owner) {
    for (int pauses = 0;; ++pauses) {
      auto locked = co_await journal.lock(context, owner);
      if (locked) co_return RunLock(journal, *std::move(locked));
      const bool nameless = locked.error().code == Errc::locked && locked.error().fault.empty();
      if (!nameless || pauses == kPausesMax) co_return forward_error(locked);
      const Wake wake = co_await sleep_for(context, kPause);
      if (wake != Wake::signalled) co_return forward_error(locked);
    }
  }

  RunLock(RunLock&& other) noexcept
      : journal_(std::exchange(other.journal_, nullptr)), lease_(std::move(other.lease_)) {}
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;
  RunLock& operator=(RunLock&&) = delete;
  ~RunLock() {
    if (journal_) journal_->unlock();
  }

  const Lease& lease() const { return lease_; }

 private:
  static constexpr Duration kPause = std::chrono::milliseconds(20);
  static constexpr int kPausesMax = 150;

  RunLock(Journal& journal, Lease lease) : journal_(&journal), lease_(std::move(lease)) {}

  Journal* journal_;
  Lease lease_;
};

/// How a run ends that did not get the lock.
inline RunResult refused_by_lock(const Error& error) {
  RunResult result;
  result.exit = Exit::unsafe;
  result.verdict = error.message;
  result.findings.push_back(
      {Severity::error,
       "L7",
       {},
       "lock",
       error.message,
       "wait for the other run, or `ichor unlock NONCE` if it is certainly gone"});
  return result;
}

}  // namespace ichor
