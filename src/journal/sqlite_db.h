#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ichor {

/// "ENOSPC: No space left on device".
std::string errno_text(int number);

/// What to do about a damaged journal; ends every message that says so.
inline constexpr std::string_view kDamageAdvice =
    "; restore the state folder from a backup, or move journal.db* and lock out of it and run again"
    " with --adopt, which takes the cluster over as it is found";

/// One SQLite connection to an existing file, and its answers as Results: Errc::unsafe where the
/// file is not what it should be, Errc::io where the machine failed us, with the errno by name.
///
/// It never checkpoints by itself, neither at commit nor at close: SQLite drops the error of such a
/// checkpoint and does it again later, and a repeated fsync may succeed although the data is lost.
/// Not thread-safe.
class Db {
 public:
  /// `vfs` is empty for SQLite's own. The path must contain no symbolic link.
  static Result<std::unique_ptr<Db>> open(const std::string& path, const std::string& vfs);
  Db(const Db&) = delete;
  Db& operator=(const Db&) = delete;
  ~Db();

  /// Runs statements that give no rows.
  Result<void> run(std::string_view sql);
  /// The first column of the first row, as text; for pragmas.
  Result<std::string> ask(std::string_view sql);

  enum class Checkpoint { passive, truncate };
  /// Moves the write-ahead log into the database. A passive one leaves what readers still need;
  /// truncate waits for them and leaves an empty log, or gives Errc::io if they stay.
  Result<void> checkpoint(Checkpoint kind);
  /// Pages in the write-ahead log after the last commit of this connection.
  int wal_pages() const { return wal_pages_; }
  bool in_transaction() const;
  /// By the file's rights, or because its header says so.
  bool read_only() const;

  Error error(int code, std::string_view doing) const;
  sqlite3* handle() { return handle_; }

 private:
  Db(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  Result<void> configure();

  sqlite3* handle_;
  std::string path_;
  int wal_pages_{0};
};

/// A prepared statement. Values are bound from the left, again after each reset().
class Statement {
 public:
  Statement(Db& db, std::string_view sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Statement& bind(std::int64_t value);
  Statement& bind(std::string_view value);
  /// True if there is a row; the first trouble of preparing, binding or stepping.
  Result<bool> step();
  void reset();

  std::int64_t integer(int column) const;
  std::string text(int column) const;

 private:
  Db& db_;
  sqlite3_stmt* handle_{nullptr};
  int trouble_{0};
  int bound_{0};
};

/// Rolls back unless committed.
class Transaction {
 public:
  enum class Kind { read, write };
  static Result<std::unique_ptr<Transaction>> begin(Db& db, Kind kind);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  Result<void> commit() { return db_.run("COMMIT"); }

 private:
  explicit Transaction(Db& db) : db_(db) {}
  Db& db_;
};

}  // namespace ichor
