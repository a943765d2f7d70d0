#pragma once

#include <optional>
#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "base/result.h"
#include "model/journal_record.h"

namespace ichor {

/// Who holds a cluster's journal. The nonce must be named to break the lock by hand.
struct LockOwner {
  std::string nonce;
  std::string host;
  std::string boot_id;
  std::int64_t pid{0};
};

/// The right to append, and so to mutate anything.
struct Lease {
  LockOwner owner;
  /// Grows whenever a lease is taken from a holder that may still live: an append under a lower one
  /// is rejected.
  std::uint64_t fence{0};
  /// How long it holds after it was taken, renewed or appended under. Zero: as long as its process
  /// lives.
  Duration length{};
};

/// Who holds the lock, as an onlooker sees it.
struct LockHolder {
  LockOwner owner;
  /// Whether it certainly runs on this machine now. No: it is gone, or runs elsewhere.
  bool runs_here{false};
};

/// The append-only memory of a cluster, one per cluster: a file of this machine, or a store that is
/// reached over a network.
///
/// A record is durable when append() returns a sequence number; the caller then may act on it.
/// After an error from append() the journal refuses every further record (a failed fsync is never
/// retried), so the run must stop mutating and end; only Errc::cancelled is the caller's own doing
/// and leaves the journal usable. Records are read back in order and proved whole: a torn tail that
/// was never acknowledged disappears, any other damage is Errc::unsafe and nothing is read.
///
/// Bodies: journal/sqlite_journal.h, journal/memory_journal.h. Each is made by an open() of its
/// own.
class Journal {
 public:
  virtual ~Journal() = default;

  /// `seq` of the given record is ignored and assigned. Concurrent appends share one commit.
  /// Errc::locked: another one holds the lease by now, or the lock was broken.
  virtual Task<Result<std::uint64_t>> append(Context context, JournalRecord record) = 0;

  /// All records, checked. Called once at the start of a run, after lock().
  virtual Task<Result<std::vector<JournalRecord>>> read(Context context) = 0;

  /// Takes the lock, also from a holder that is certainly gone or whose lease ran out. Errc::locked
  /// with L7 names the holder; without L7 another process takes it, or gives it back, at this
  /// moment: ask again.
  virtual Task<Result<Lease>> lock(Context context, LockOwner owner) = 0;
  /// Lets the lease hold for its whole length from now on. Errc::locked: it is lost.
  virtual Task<Result<void>> renew(Context context) = 0;
  /// Gives the lock back as far as that is possible without waiting: what is not given back runs
  /// out, or is taken over.
  virtual void unlock() = 0;
  virtual Task<Result<std::optional<LockHolder>>> holder(Context context) = 0;

  /// Breaks a lock by its nonce; Errc::invalid if another nonce holds it.
  virtual Task<Result<void>> break_lock(Context context, std::string nonce) = 0;
};

}  // namespace ichor
