#include "journal/sqlite_db.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <sqlite3.h>

#include "base/system_fault.h"

// SQLite starts these extensions for every connection: full-text search, R-trees and tables about
// itself. A journal uses none of them, they are 300 KB of code, and code that is not there cannot
// be attacked through a damaged file. The linker takes these instead of the library's objects; they
// are weak, so a libsqlite3.a that is one single object keeps its own.
extern "C" {
#define ICHOR_WITHOUT(init) \
  __attribute__((weak)) int init(sqlite3*) { return SQLITE_OK; }
ICHOR_WITHOUT(sqlite3Fts3Init)
ICHOR_WITHOUT(sqlite3Fts5Init)
ICHOR_WITHOUT(sqlite3RtreeInit)
ICHOR_WITHOUT(sqlite3StmtVtabInit)
ICHOR_WITHOUT(sqlite3DbstatRegister)
#undef ICHOR_WITHOUT
}

namespace ichor {

namespace {

constexpr int kBusyMs = 5000;  // how long another process may be in the middle of a commit

/// Whether the file, and not the machine, is at fault.
bool is_damage(int code) {
  switch (code) {
    case SQLITE_IOERR_SHORT_READ:
    case SQLITE_IOERR_CORRUPTFS:
    case SQLITE_CANTOPEN_SYMLINK: return true;
    default: break;
  }
  switch (code & 0xff) {
    case SQLITE_ERROR:  // a table or column is missing
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG: return true;
    default: return false;
  }
}

}  // namespace

std::string errno_text(int number) {
  const char* name = strerrorname_np(number);
  if (name == nullptr) return "errno " + std::to_string(number);
  return std::string(name) + ": " + strerrordesc_np(number);
}

Result<std::unique_ptr<Db>> Db::open(const std::string& path, const std::string& vfs) {
  sqlite3* handle = nullptr;
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, flags, vfs.empty() ? nullptr : vfs.c_str());
  // Without memory for a handle there is none; SQLite takes that for a handle out of memory.
  std::unique_ptr<Db> db(new Db(handle, path));
  if (code != SQLITE_OK) return tl::unexpected(db->error(code, "open"));
  if (auto set = db->configure(); !set) return forward_error(set);
  return db;
}

Result<void> Db::configure() {
  sqlite3_busy_timeout(handle_, kBusyMs);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Replaces the hook that would checkpoint automatically.
  sqlite3_wal_hook(
      handle_,
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<Db*>(self)->wal_pages_ = pages;
        return SQLITE_OK;
      },
      this);
  return run("PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
}

Db::~Db() { sqlite3_close_v2(handle_); }

Error Db::error(int code, std::string_view doing) const {
  std::string message = path_ + ": cannot ";
  message += doing;
  message += ": ";
  FaultId fault;
  const int kind = code & 0xff;
  if (kind == SQLITE_FULL) {
    message += errno_text(ENOSPC);
    fault = fault_of_errno(ENOSPC);
  } else {
    message += sqlite3_errstr(code);
    const int number = sqlite3_system_errno(handle_);
    const bool from_system = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN;
    if (from_system && number != 0) message += " (" + errno_text(number) + ")";
    if (!from_system) message += std::string(" (") + sqlite3_errmsg(handle_) + ")";
    if (from_system) fault = fault_of_errno(number);
    // SQLite does not keep the errno of every failed read and write.
    if (kind == SQLITE_IOERR && fault.empty()) fault = "L4";
    if (kind == SQLITE_READONLY) fault = "L3";
  }
  if (!is_damage(code)) return {Errc::io, std::move(message), fault};
  message += kDamageAdvice;
  return {Errc::unsafe, std::move(message), "L5"};
}

Result<void> Db::run(std::string_view sql) {
  const std::string text(sql);
  const int code = sqlite3_exec(handle_, text.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error(code, sql.substr(0, sql.find(';'))));
  return {};
}

Result<std::string> Db::ask(std::string_view sql) {
  Statement statement(*this, sql);
  std::optional<std::string> first;
  // To the end: a pragma that changes the file commits after its last row.
  while (true) {
    const auto row = statement.step();
    if (!row) return forward_error(row);
    if (!*row) return first.value_or("");
    if (!first) first = statement.text(0);
  }
}

Result<void> Db::checkpoint(Checkpoint kind) {
  const bool all = kind == Checkpoint::truncate;
  const int code = sqlite3_wal_checkpoint_v2(
      handle_, nullptr, all ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, nullptr,
      nullptr);
  if (code == SQLITE_OK) {
    if (all) wal_pages_ = 0;
    return {};
  }
  // A passive one that met another checkpointer has nothing to complain about.
  if (code == SQLITE_BUSY && !all) return {};
  return tl::unexpected(error(code, "checkpoint"));
}

bool Db::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

bool Db::read_only() const { return sqlite3_db_readonly(handle_, "main") != 0; }

Statement::Statement(Db& db, std::string_view sql)
    : db_(db),
      trouble_(sqlite3_prepare_v2(db.handle(), sql.data(), static_cast<int>(sql.size()), &handle_,
                                  nullptr)) {}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::bind(std::int64_t value) {
  if (trouble_ == SQLITE_OK) trouble_ = sqlite3_bind_int64(handle_, ++bound_, value);
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  // Empty text must not become NULL, which is what a null pointer means here.
  const char* bytes = value.data() == nullptr ? "" : value.data();
  if (trouble_ == SQLITE_OK) {
    trouble_ =
        sqlite3_bind_text64(handle_, ++bound_, bytes, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  return *this;
}

Result<bool> Statement::step() {
  if (trouble_ != SQLITE_OK) return tl::unexpected(db_.error(trouble_, "prepare"));
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_DONE) return false;
  if (code != SQLITE_ROW) return tl::unexpected(db_.error(code, "step"));
  // A long text may need memory once more to be handed out. Without it the text would seem empty,
  // and a whole journal damaged.
  for (int column = 0; column < sqlite3_column_count(handle_); ++column) {
    const bool is_text = sqlite3_column_type(handle_, column) == SQLITE_TEXT;
    if (is_text && sqlite3_column_text(handle_, column) == nullptr) {
      return tl::unexpected(db_.error(SQLITE_NOMEM, "step"));
    }
  }
  return true;
}

void Statement::reset() {
  sqlite3_reset(handle_);
  bound_ = 0;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

std::string Statement::text(int column) const {
  const void* bytes = sqlite3_column_text(handle_, column);
  if (bytes == nullptr) return {};
  const int size = sqlite3_column_bytes(handle_, column);
  return std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

Result<std::unique_ptr<Transaction>> Transaction::begin(Db& db, Kind kind) {
  // SQLite would take this for a mistake in the statement, and we that for a damaged file.
  if (db.in_transaction()) {
    return fail(Errc::io, "the journal's last transaction could not be rolled back");
  }
  auto begun = db.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
  if (!begun) return forward_error(begun);
  return std::unique_ptr<Transaction>(new Transaction(db));
}

Transaction::~Transaction() {
  // A failed rollback leaves a transaction that dies with the connection; nothing is committed, and
  // none follows.
  if (db_.in_transaction()) (void)db_.run("ROLLBACK");
}

}  // namespace ichor
