#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "journal/sqlite_store.h"
#include "port/journal.h"

namespace ichor {

/// The journal on disk: SQLite in the state folder, docs/journal.md. Everything but append() blocks
/// on the disk, ends at once, and is for the start and the end of a run; append() hands the record
/// to a thread that commits all that waits in one transaction, and hands the answer back through
/// `post`.
///
/// A failure is final, also that of a caller whose deadline passed: a disk that does not answer is
/// a failed one. Only Errc::cancelled leaves the journal usable, and the record may still become
/// durable. Dying commits what was handed over before, unless the disk hangs, and gives no lock
/// back.
class SqliteJournal final : public Journal {
 public:
  /// Runs a function on the loop's thread, soon and not within the call. Called from any thread,
  /// but never after the journal's death.
  using Post = std::function<void(std::function<void()>)>;

  static Task<Result<std::unique_ptr<SqliteJournal>>> open(SqliteOptions options, Post post);
  SqliteJournal(const SqliteJournal&) = delete;
  SqliteJournal& operator=(const SqliteJournal&) = delete;
  ~SqliteJournal() override;

  Task<Result<std::uint64_t>> append(Context context, JournalRecord record) override;
  Task<Result<std::vector<JournalRecord>>> read(Context context) override;
  /// Its lease holds as long as the process lives.
  Task<Result<Lease>> lock(Context context, LockOwner owner) override;
  Task<Result<void>> renew(Context context) override;
  void unlock() override;
  Task<Result<std::optional<LockHolder>>> holder(Context context) override;
  Task<Result<void>> break_lock(Context context, std::string nonce) override;

  JournalOrigin origin();
  /// Whether another machine started the journal: then no mutation may rely on it.
  bool copied();
  /// The operator's word that this machine goes on with it; after lock().
  Result<void> adopt();

 private:
  class Writer;
  SqliteJournal(std::shared_ptr<Writer> writer, double time_scale)
      : writer_(std::move(writer)), time_scale_(time_scale) {}

  std::shared_ptr<Writer> writer_;  // shared with its thread, which a hung disk may keep for ever
  double time_scale_;
};

}  // namespace ichor
