#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/lock_file.h"
#include "journal/sqlite_db.h"
#include "journal/state_folder.h"
#include "port/journal.h"

namespace ichor {

/// The machine that started a journal. A journal whose machine is not this one was copied here (or
/// its disk was): what it says of the cluster may be outdated by what the original has seen since.
struct JournalOrigin {
  std::string journal_id;
  std::string machine;
};

struct SqliteOptions {
  std::string folder;      // the cluster's state folder
  std::string journal_id;  // for a new journal: 128 random bits as hex
  std::string machine;     // this machine, e.g. a hash of /etc/machine-id; empty if unknown
  bool create{true};       // false: a missing journal is Errc::invalid
  std::string vfs;         // empty: SQLite's own
  /// How much faster than the world the callers' clock runs. A disk does not hurry with it: the
  /// deadlines of append() are kept in real time.
  double time_scale{1.0};
};

/// The journal's file `journal.db` and everything done to it, synchronously: the body of
/// SqliteJournal without its thread. One thread at a time.
///
/// The first error of anything that writes is final: from then on every writing call gives that
/// error, and nothing is written any more, not even when this object dies.
class SqliteStore {
 public:
  /// Opens the journal, or makes a new one that appears whole or not at all. Errc::unsafe if there
  /// are traces of a journal that is gone, or if the file is not a journal that this program knows.
  static Result<std::unique_ptr<SqliteStore>> open(const SqliteOptions& options);

  /// As Journal::read(). Also without the lock, for looking on.
  Result<std::vector<JournalRecord>> read();

  /// As in Journal. Dying without unlock() leaves the owner's name behind, as a crash does.
  Result<void> lock(const LockOwner& owner);
  Result<void> unlock();
  /// Of the lock that is held. It does not run out; its fence counts how often a lock was broken.
  Lease lease() const;
  /// Errc::locked if the lock was broken.
  Result<void> check_lease();
  Result<std::optional<LockOwner>> holder();
  Result<bool> holder_runs_here();
  Result<void> break_lock(const std::string& nonce);

  /// Commits all of `batch` or nothing, and sets each record's seq. Errc::locked without the lock.
  Result<void> append(std::vector<JournalRecord>& batch);
  /// Moves the log into the database once it is long. Call it when no caller waits.
  Result<void> tidy();

  const JournalOrigin& origin() const { return origin_; }
  /// Whether another machine started the journal.
  bool copied() const;
  /// Makes this machine the journal's own; with the lock only.
  Result<void> adopt();

  const std::optional<Error>& failure() const { return failure_; }

 private:
  struct OwnerRow {
    std::int64_t generation{0};
    LockOwner owner;
    std::int64_t inode{0};
    bool held() const { return !owner.nonce.empty(); }
  };
  struct Held {
    LockFile file;
    LockOwner owner;
    std::int64_t generation;
  };
  struct Head {
    std::uint64_t seq{0};
    std::uint32_t chain{0};
  };

  SqliteStore(StateFolder folder, std::string machine)
      : folder_(std::move(folder)), machine_(std::move(machine)) {}

  Result<void> open_or_create(const SqliteOptions& options);
  Result<void> create(const SqliteOptions& options);
  Result<void> open_db(const std::string& vfs);
  Result<void> check_schema();
  Result<void> load_origin();
  Result<OwnerRow> load_owner();
  Result<void> store_owner(const OwnerRow& row);
  Result<Head> load_head();
  Result<std::vector<JournalRecord>> read_rows();

  /// False if the lock changed hands meanwhile and must be tried for again.
  Result<bool> try_lock(const LockOwner& owner);
  Result<void> check_whole();
  Result<bool> take_over(const OwnerRow& left, const OwnerRow& mine);
  Result<void> give_back(Held& held);
  Result<void> move_on(const std::string& nonce);
  Result<bool> still_mine(const Held& held);

  Result<void> write(const Held& held, std::vector<JournalRecord>& batch);
  Result<void> write_origin();
  /// Remembers the error of a write for good, and passes it on. Nothing is written after an error,
  /// so there is no earlier one.
  template <class T>
  Result<T> kept(Result<T> result) {
    if (!result) failure_ = result.error();
    return result;
  }
  Error damaged(const std::string& what) const;

  StateFolder folder_;
  std::string machine_;
  JournalOrigin origin_;
  std::unique_ptr<Db> db_;
  std::optional<Held> held_;
  Head head_;  // as of the last commit of the lock's holder
  std::optional<Error> failure_;
};

}  // namespace ichor
