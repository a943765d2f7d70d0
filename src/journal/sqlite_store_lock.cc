#include <string>

#include "base/check.h"
#include "journal/lock_rule.h"
#include "journal/sqlite_store.h"
#include "journal/wal_check.h"

// The lock of a state folder. Two things make it:
//
// - the row in the table `owner` says who may append, and every commit looks at it within its own
//   transaction. So whoever breaks a lock by hand stops a holder that is alive after all: its next
//   commit fails, and no mutation goes without a committed intent.
// - the operating system's lock on the file `lock` says whether the process in the row still lives.
//   No process id is looked up: ids are reused, and mean nothing in another process namespace.

namespace ichor {

namespace {

constexpr int kTriesMax = 16;  // each time another process broke the lock or replaced its file

std::string for_people(const LockOwner& owner) {
  return "nonce " + owner.nonce + "\nhost " + owner.host + "\nboot " + owner.boot_id + "\npid " +
         std::to_string(owner.pid) + "\n";
}

Error changing_hands() {
  return {Errc::locked, "this cluster's lock is just being taken or given back; try again"};
}

}  // namespace

Result<SqliteStore::OwnerRow> SqliteStore::load_owner() {
  Statement select(*db_, "SELECT generation, nonce, host, boot_id, pid, inode FROM owner");
  const auto row = select.step();
  if (!row) return forward_error(row);
  if (!*row) return tl::unexpected(damaged("its owner is missing"));
  OwnerRow owner;
  owner.generation = select.integer(0);
  owner.owner = {select.text(1), select.text(2), select.text(3), select.integer(4)};
  owner.inode = select.integer(5);
  if (owner.generation < 0) return tl::unexpected(damaged("its owner is damaged"));
  return owner;
}

Result<void> SqliteStore::store_owner(const OwnerRow& row) {
  Statement update(*db_,
                   "UPDATE owner SET generation = ?, nonce = ?, host = ?, boot_id = ?, pid = ?,"
                   " inode = ?");
  update.bind(row.generation)
      .bind(row.owner.nonce)
      .bind(row.owner.host)
      .bind(row.owner.boot_id)
      .bind(row.owner.pid)
      .bind(row.inode);
  if (auto done = update.step(); !done) return forward_error(done);
  return {};
}

Result<void> SqliteStore::lock(const LockOwner& owner) {
  check(!held_, "the lock is taken once");
  check(!owner.nonce.empty(), "a lock has a nonce");
  if (failure_) return tl::unexpected(*failure_);
  for (int attempt = 0; attempt < kTriesMax; ++attempt) {
    const auto taken = try_lock(owner);
    if (!taken) return forward_error(taken);
    if (*taken) return {};
  }
  return tl::unexpected(changing_hands());
}

Result<bool> SqliteStore::try_lock(const LockOwner& owner) {
  auto file = LockFile::open(folder_);
  if (!file) return forward_error(file);
  const auto seen = load_owner();
  if (!seen) return forward_error(seen);
  const auto free = file->try_lock(seen->generation);
  if (!free) return forward_error(free);
  if (!*free) {
    if (!seen->held()) return tl::unexpected(changing_hands());
    return tl::unexpected(refused_by(seen->owner, "it is running"));
  }
  const auto in_place = file->in_place(folder_);
  if (!in_place) return forward_error(in_place);
  if (!*in_place) return false;
  // Nothing a damaged file says may be believed or written to, its owner included.
  if (auto whole = check_whole(); !whole) return forward_error(whole);
  // Only now is it certain that the row does not change, except by a process that breaks the lock.
  const auto left = load_owner();
  if (!left) return forward_error(left);
  if (left->generation != seen->generation) return false;
  if (left->held()) {
    if (left->inode != static_cast<std::int64_t>(file->inode())) {
      return tl::unexpected(refused_by(
          left->owner, "its lock file was removed or copied, so it is unknown whether it runs"));
    }
    if (!certainly_gone(left->owner, owner)) {
      return tl::unexpected(refused_by(left->owner, "it cannot be seen from here whether it runs"));
    }
  }
  // The last commits of the holder before may be in the page cache only, if their sync failed. They
  // are written to the database, and synced there, before anything builds on them.
  const auto settled = kept(db_->checkpoint(Db::Checkpoint::truncate));
  if (!settled) return forward_error(settled);
  const OwnerRow mine{left->generation, owner, static_cast<std::int64_t>(file->inode())};
  auto taken = kept(take_over(*left, mine));
  if (!taken || !*taken) return taken;
  held_.emplace(Held{*std::move(file), owner, mine.generation});
  const auto told = kept(held_->file.write(for_people(owner)));
  if (told) return true;
  held_.reset();
  return forward_error(told);
}

Result<void> SqliteStore::check_whole() {
  // Nothing is written in this transaction: it keeps others from writing while the log is looked
  // at.
  auto transaction = Transaction::begin(*db_, Transaction::Kind::write);
  if (!transaction) return forward_error(transaction);
  auto log = check_wal(folder_.file("journal.db-wal"));
  if (!log && log.error().code == Errc::unsafe) return tl::unexpected(damaged(log.error().message));
  if (!log) return log;
  auto records = read_rows();
  if (!records) return forward_error(records);
  return {};
}

Result<bool> SqliteStore::take_over(const OwnerRow& left, const OwnerRow& mine) {
  auto transaction = Transaction::begin(*db_, Transaction::Kind::write);
  if (!transaction) return forward_error(transaction);
  const auto now = load_owner();
  if (!now) return forward_error(now);
  if (now->generation != left.generation) return false;
  if (auto stored = store_owner(mine); !stored) return forward_error(stored);
  const auto head = load_head();
  if (!head) return forward_error(head);
  if (auto committed = (*transaction)->commit(); !committed) {
    return forward_error(committed);
  }
  head_ = *head;
  return true;
}

Result<bool> SqliteStore::still_mine(const Held& held) {
  const auto now = load_owner();
  if (!now) return forward_error(now);
  return now->generation == held.generation && now->owner.nonce == held.owner.nonce;
}

Lease SqliteStore::lease() const {
  check(held_.has_value(), "a lease belongs to a lock that is held");
  return {held_->owner, static_cast<std::uint64_t>(held_->generation), {}};
}

Result<void> SqliteStore::check_lease() {
  if (failure_) return tl::unexpected(*failure_);
  if (!held_) return tl::unexpected(not_locked());
  const auto mine = still_mine(*held_);
  if (!mine) return forward_error(mine);
  if (!*mine) return kept(Result<void>(tl::unexpected(lock_was_broken(held_->owner))));
  return {};
}

Result<void> SqliteStore::unlock() {
  if (!held_) return {};
  Result<void> given = failure_ ? tl::unexpected(*failure_) : kept(give_back(*held_));
  held_.reset();
  return given;
}

Result<void> SqliteStore::give_back(Held& held) {
  {
    auto transaction = Transaction::begin(*db_, Transaction::Kind::write);
    if (!transaction) return forward_error(transaction);
    const auto mine = still_mine(held);
    if (!mine) return forward_error(mine);
    if (!*mine) return {};
    const OwnerRow nobody{held.generation, {}, 0};
    if (auto stored = store_owner(nobody); !stored) return stored;
    if (auto committed = (*transaction)->commit(); !committed) return committed;
  }
  if (auto emptied = held.file.write(""); !emptied) return emptied;
  return db_->checkpoint(Db::Checkpoint::passive);
}

Result<std::optional<LockOwner>> SqliteStore::holder() {
  const auto row = load_owner();
  if (!row) return forward_error(row);
  if (!row->held()) return std::nullopt;
  return row->owner;
}

Result<bool> SqliteStore::holder_runs_here() {
  const auto row = load_owner();
  if (!row) return forward_error(row);
  if (!row->held()) return false;
  if (held_) return true;
  auto file = LockFile::open(folder_);
  if (!file) return forward_error(file);
  // The operating system's lock ends with its process; this one ends with `file`.
  const auto free = file->try_lock(row->generation);
  if (!free) return forward_error(free);
  return !*free;
}

Result<void> SqliteStore::break_lock(const std::string& nonce) {
  if (failure_) return tl::unexpected(*failure_);
  Result<void> broken = move_on(nonce);
  if (!broken && broken.error().code != Errc::invalid) return kept(std::move(broken));
  return broken;
}

Result<void> SqliteStore::move_on(const std::string& nonce) {
  auto transaction = Transaction::begin(*db_, Transaction::Kind::write);
  if (!transaction) return forward_error(transaction);
  const auto row = load_owner();
  if (!row) return forward_error(row);
  if (!row->held()) return tl::unexpected(wrong_nonce(nonce, nullptr));
  if (row->owner.nonce != nonce) return tl::unexpected(wrong_nonce(nonce, &row->owner));
  const OwnerRow nobody{row->generation + 1, {}, 0};
  if (auto stored = store_owner(nobody); !stored) return stored;
  // Before the commit: after it, the content may be the next holder's.
  auto file = LockFile::open(folder_);
  if (!file) return forward_error(file);
  if (auto emptied = file->write(""); !emptied) return emptied;
  return (*transaction)->commit();
}

}  // namespace ichor
