#include "journal/sqlite_store.h"

#include <fmt/format.h>

#include "base/check.h"
#include "journal/chain.h"
#include "journal/lock_rule.h"
#include "journal/record_row.h"
#include "journal/schema.h"

namespace ichor {

namespace {

constexpr const char* kFile = "journal.db";
constexpr const char* kNewFile = "journal.db.new";  // until it is whole
constexpr const char* kLog = "journal.db-wal";
constexpr int kLogPagesMax = 1000;  // 4 MiB, about the length at which reading it back is felt

std::uint32_t origin_crc(const JournalOrigin& origin) {
  return crc32c(origin.machine, crc32c(origin.journal_id + "\n"));
}

/// The first row of every one-row table, then the file becomes a log-writing one.
Result<void> fill(Db& db, const JournalOrigin& origin) {
  auto transaction = Transaction::begin(db, Transaction::Kind::write);
  if (!transaction) return forward_error(transaction);
  if (auto made = db.run(kSchemaSql); !made) return made;
  Statement meta(db, "INSERT INTO meta VALUES (1, ?, ?, ?)");
  meta.bind(origin.journal_id).bind(origin.machine).bind(std::int64_t{origin_crc(origin)});
  if (auto done = meta.step(); !done) return forward_error(done);
  Statement head(db, "INSERT INTO head VALUES (1, 0, ?)");
  head.bind(std::int64_t{chain_start(origin.journal_id)});
  if (auto done = head.step(); !done) return forward_error(done);
  Statement owner(db, "INSERT INTO owner VALUES (1, 0, '', '', '', 0, 0)");
  if (auto done = owner.step(); !done) return forward_error(done);
  return (*transaction)->commit();
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const SqliteOptions& options) {
  auto folder = StateFolder::open(options.folder, options.create);
  if (!folder) return forward_error(folder);
  std::unique_ptr<SqliteStore> store(new SqliteStore(*std::move(folder), options.machine));
  if (auto there = store->open_or_create(options); !there) {
    return forward_error(there);
  }
  return store;
}

Result<void> SqliteStore::open_or_create(const SqliteOptions& options) {
  auto file = folder_.look(kFile);
  if (!file) return forward_error(file);
  if (!file->exists) {
    auto alone = folder_.exclude_others();
    if (!alone) return forward_error(alone);
    file = folder_.look(kFile);
    if (!file) return forward_error(file);
    if (!file->exists) {
      if (auto made = create(options); !made) return made;
      file = folder_.look(kFile);
      if (!file) return forward_error(file);
    }
  }
  // SQLite takes an empty file for a new database, and throws away the log beside it.
  if (file->size == 0) return tl::unexpected(damaged("the file is empty"));
  if (auto opened = open_db(options.vfs); !opened) return opened;
  return load_origin();
}

Result<void> SqliteStore::create(const SqliteOptions& options) {
  const auto lock = folder_.look(LockFile::kName);
  if (!lock) return forward_error(lock);
  const auto log = folder_.look(kLog);
  if (!log) return forward_error(log);
  if (lock->exists || log->size > 0) {
    return tl::unexpected(damaged("the file is missing, although this folder has had a journal"));
  }
  if (!options.create) return fail(Errc::invalid, folder_.path() + ": there is no journal here");
  check(!options.journal_id.empty(), "a new journal needs an id");
  for (const char* leftover : {"", "-journal", "-wal", "-shm"}) {
    if (auto gone = folder_.remove_file(std::string(kNewFile) + leftover); !gone) return gone;
  }
  if (auto made = folder_.create_file(kNewFile); !made) return made;
  {
    auto db = Db::open(folder_.file(kNewFile), options.vfs);
    if (!db) return forward_error(db);
    const JournalOrigin origin{options.journal_id, options.machine};
    if (auto filled = fill(**db, origin); !filled) return filled;
    const auto mode = (*db)->ask("PRAGMA journal_mode = WAL");
    if (!mode) return forward_error(mode);
    if (*mode != "wal") return fail(Errc::io, folder_.path() + ": SQLite cannot keep a log here");
    if (auto whole = (*db)->checkpoint(Db::Checkpoint::truncate); !whole) return whole;
  }
  for (const char* leftover : {"-wal", "-shm"}) {
    if (auto gone = folder_.remove_file(std::string(kNewFile) + leftover); !gone) return gone;
  }
  return folder_.rename_durably(kNewFile, kFile);
}

Result<void> SqliteStore::open_db(const std::string& vfs) {
  auto db = Db::open(folder_.file(kFile), vfs);
  if (!db) return forward_error(db);
  db_ = *std::move(db);
  const auto application = db_->ask("PRAGMA application_id");
  if (!application) return forward_error(application);
  if (*application != kApplicationId) {
    return tl::unexpected(damaged("this is not a journal of ichor"));
  }
  const auto version = db_->ask("PRAGMA user_version");
  if (!version) return forward_error(version);
  const int number = std::stoi(*version);
  if (number > kSchemaVersion) {
    return tl::unexpected(newer_schema(folder_.file(kFile), number));
  }
  if (number != kSchemaVersion)
    return tl::unexpected(damaged("unknown schema version " + *version));
  // A file whose header no longer says so would be read without its log.
  const auto mode = db_->ask("PRAGMA journal_mode");
  if (!mode) return forward_error(mode);
  if (*mode != "wal") return tl::unexpected(damaged("the file's header is wrong"));
  if (db_->read_only()) {
    if (auto writable = folder_.check_writable(kFile); !writable) return writable;
    return tl::unexpected(damaged("the file's header is wrong"));
  }
  return check_schema();
}

Result<void> SqliteStore::check_schema() {
  // A trigger or a view of another program changes what is written or read without breaking the
  // chain. SQLite keeps the text of each statement, so the tables are those of schema.sql or not.
  Statement objects(*db_, "SELECT type, name, sql FROM sqlite_schema");
  std::size_t count = 0;
  while (true) {
    const auto row = objects.step();
    if (!row) return forward_error(row);
    if (!*row) break;
    const std::string sql = objects.text(2) + ";";
    if (kSchemaSql.find(sql) == std::string_view::npos || sql.size() < 2) {
      return tl::unexpected(
          damaged(fmt::format("ichor did not make its {} {}", objects.text(0), objects.text(1))));
    }
    ++count;
  }
  if (count == kSchemaObjects) return {};
  return tl::unexpected(damaged(
      fmt::format("it has {} tables and triggers, and ichor made {}", count, kSchemaObjects)));
}

Result<void> SqliteStore::load_origin() {
  Statement meta(*db_, "SELECT journal_id, machine, crc FROM meta");
  const auto row = meta.step();
  if (!row) return forward_error(row);
  if (!*row) return tl::unexpected(damaged("its origin is missing"));
  origin_ = {meta.text(0), meta.text(1)};
  if (meta.integer(2) != origin_crc(origin_))
    return tl::unexpected(damaged("its origin is damaged"));
  return {};
}

Error SqliteStore::damaged(const std::string& what) const {
  return {Errc::unsafe, folder_.file(kFile) + ": " + what + std::string(kDamageAdvice), "L5"};
}

Result<std::vector<JournalRecord>> SqliteStore::read() {
  // One snapshot, so that a row committed meanwhile by the lock's holder is wholly in or out.
  auto transaction = Transaction::begin(*db_, Transaction::Kind::read);
  if (!transaction) return forward_error(transaction);
  return read_rows();
}

Result<std::vector<JournalRecord>> SqliteStore::read_rows() {
  auto verdict = db_->ask("PRAGMA quick_check(1)");
  // Also a page that could not be read just now is named as wrong, for want of memory or by an
  // error of the disk. Damage is still there at a second look.
  if (verdict && *verdict != "ok") verdict = db_->ask("PRAGMA quick_check(1)");
  if (!verdict) return forward_error(verdict);
  if (*verdict != "ok") return tl::unexpected(damaged(*verdict));

  std::vector<JournalRecord> records;
  Head last{0, chain_start(origin_.journal_id)};
  Statement rows(*db_, kSelectRecords);
  while (true) {
    const auto row = rows.step();
    if (!row) return forward_error(row);
    if (!*row) break;
    const std::string name = "row " + std::to_string(last.seq + 1);
    auto stored = decode_record(rows);
    if (!stored) return tl::unexpected(damaged(name + " says something unknown to this ichor"));
    if (stored->record.seq != last.seq + 1) {
      return tl::unexpected(
          damaged(name + " is missing before row " + std::to_string(stored->record.seq)));
    }
    const std::uint32_t chain = chain_after(last.chain, stored->record);
    if (stored->chain != chain)
      return tl::unexpected(damaged(name + " breaks the chain of checksums"));
    last = {stored->record.seq, chain};
    records.push_back(std::move(stored->record));
  }
  const auto head = load_head();
  if (!head) return forward_error(head);
  if (head->seq != last.seq || head->chain != last.chain) {
    return tl::unexpected(damaged("row " + std::to_string(last.seq) + " is the last one, but " +
                                  std::to_string(head->seq) + " were acknowledged"));
  }
  return records;
}

Result<SqliteStore::Head> SqliteStore::load_head() {
  Statement head(*db_, "SELECT seq, chain FROM head");
  const auto row = head.step();
  if (!row) return forward_error(row);
  if (!*row) return tl::unexpected(damaged("its head is missing"));
  const std::int64_t seq = head.integer(0);
  const std::int64_t chain = head.integer(1);
  if (seq < 0 || chain != static_cast<std::uint32_t>(chain)) {
    return tl::unexpected(damaged("its head is damaged"));
  }
  return Head{static_cast<std::uint64_t>(seq), static_cast<std::uint32_t>(chain)};
}

Result<void> SqliteStore::append(std::vector<JournalRecord>& batch) {
  if (failure_) return tl::unexpected(*failure_);
  if (!held_) return tl::unexpected(not_locked());
  return kept(write(*held_, batch));
}

Result<void> SqliteStore::write(const Held& held, std::vector<JournalRecord>& batch) {
  auto transaction = Transaction::begin(*db_, Transaction::Kind::write);
  if (!transaction) return forward_error(transaction);
  // Within the transaction, so that no process can break the lock between this look and the commit.
  const auto mine = still_mine(held);
  if (!mine) return forward_error(mine);
  if (!*mine) return tl::unexpected(lock_was_broken(held.owner));

  Head head = head_;
  Statement insert(*db_, kInsertRecord);
  for (JournalRecord& record : batch) {
    check(record.ref <= head.seq, "a record refers to one before it");
    record.seq = ++head.seq;
    head.chain = chain_after(head.chain, record);
    bind_record(insert, record, head.chain);
    if (auto done = insert.step(); !done) return forward_error(done);
    insert.reset();
  }
  Statement update(*db_, "UPDATE head SET seq = ?, chain = ?");
  update.bind(static_cast<std::int64_t>(head.seq)).bind(std::int64_t{head.chain});
  if (auto done = update.step(); !done) return forward_error(done);
  if (auto committed = (*transaction)->commit(); !committed) return committed;
  head_ = head;
  return {};
}

Result<void> SqliteStore::tidy() {
  if (failure_) return tl::unexpected(*failure_);
  if (!held_ || db_->wal_pages() < kLogPagesMax) return {};
  return kept(db_->checkpoint(Db::Checkpoint::passive));
}

bool SqliteStore::copied() const {
  return !machine_.empty() && !origin_.machine.empty() && machine_ != origin_.machine;
}

Result<void> SqliteStore::adopt() {
  if (failure_) return tl::unexpected(*failure_);
  if (!held_) return tl::unexpected(not_locked());
  return kept(write_origin());
}

Result<void> SqliteStore::write_origin() {
  const JournalOrigin adopted{origin_.journal_id, machine_};
  auto transaction = Transaction::begin(*db_, Transaction::Kind::write);
  if (!transaction) return forward_error(transaction);
  Statement update(*db_, "UPDATE meta SET machine = ?, crc = ?");
  update.bind(adopted.machine).bind(std::int64_t{origin_crc(adopted)});
  if (auto done = update.step(); !done) return forward_error(done);
  if (auto committed = (*transaction)->commit(); !committed) return committed;
  origin_ = adopted;
  return {};
}

}  // namespace ichor
