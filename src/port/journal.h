#pragma once

#include <optional>
#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "base/result.h"
#include "model/journal_record.h"

namespace ichor {

/// Who holds a cluster's state folder. The nonce must be named to break the lock by hand.
struct LockOwner {
  std::string nonce;
  std::string host;
  std::string boot_id;
  std::int64_t pid{0};
};

/// The append-only memory of a cluster, one per state folder.
///
/// A record is durable when append() returns a sequence number; the caller then may act on it.
/// After an error from append() the journal refuses every further record (a failed fsync is never
/// retried), so the run must stop mutating and end; only Errc::cancelled is the caller's own doing
/// and leaves the journal usable. Records are read back in order and proved whole: a torn tail that
/// was never acknowledged disappears, any other damage is Errc::unsafe and nothing is read.
class Journal {
 public:
  virtual ~Journal() = default;

  /// `seq` of the given record is ignored and assigned. Concurrent appends share one commit.
  virtual Task<Result<std::uint64_t>> append(Context context, JournalRecord record) = 0;

  /// All records, checked. Called once at the start of a run, after lock().
  virtual Result<std::vector<JournalRecord>> read() = 0;

  /// Takes the lock, also from a holder that is certainly gone. Errc::locked with L7 names the
  /// holder; without L7 another process takes it, or gives it back, at this moment: ask again.
  virtual Result<void> lock(const LockOwner& owner) = 0;
  virtual void unlock() = 0;
  virtual std::optional<LockOwner> holder() = 0;
  /// Whether the holder certainly runs on this machine now. No: it is gone, or runs elsewhere.
  virtual bool holder_runs_here() = 0;

  /// Breaks a lock by its nonce; Errc::invalid if another nonce holds it.
  virtual Result<void> break_lock(const std::string& nonce) = 0;
};

}  // namespace ichor
