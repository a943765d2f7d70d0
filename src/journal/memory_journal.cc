#include "journal/memory_journal.h"

#include <utility>

#include "base/check.h"
#include "journal/lock_rule.h"

namespace ichor {

namespace {

Error disk_error(MemoryStore::Fault fault) {
  const bool full = fault == MemoryStore::Fault::no_space;
  if (full) return {Errc::io, "journal: cannot commit: ENOSPC: No space left on device", "L3"};
  return {Errc::io, "journal: cannot commit: EIO: Input/output error", "L4"};
}

}  // namespace

void MemoryStore::crash(bool keep_in_flight) {
  if (keep_in_flight) {
    for (JournalRecord& record : in_flight_) records_.push_back(std::move(record));
  }
  in_flight_.clear();
  owner_alive_ = false;
  crashed_ = life_++;
}

void MemoryStore::fail_after(std::uint64_t count, Fault fault) {
  good_records_ = count;
  fault_ = fault;
}

MemoryJournal::~MemoryJournal() {
  if (commit_ != 0) store_.clock_.cancel(commit_);
  if (mine_ && still_mine()) store_.owner_alive_ = false;
}

Task<Result<std::uint64_t>> MemoryJournal::append(Context context, JournalRecord record) {
  if (context.cancelled()) co_return fail(Errc::cancelled, "cancelled before it was recorded");
  if (failure_) co_return tl::unexpected(*failure_);
  if (!mine_) co_return tl::unexpected(not_locked());
  check(record.ref < next_seq_, "a record refers to one before it");
  const std::uint64_t seq = next_seq_++;
  record.seq = seq;
  queue_.push_back(std::move(record));
  if (commit_ == 0) begin_commit();
  while (durable_seq_ < seq) {
    if (failure_) co_return tl::unexpected(*failure_);
    const Wake wake = co_await committed_.wait(context);
    if (wake == Wake::signalled || durable_seq_ >= seq) continue;
    if (wake == Wake::cancelled) co_return fail(Errc::cancelled, "cancelled while it was recorded");
    give_up({Errc::out_of_time, "the journal's disk did not commit a record in time"});
  }
  co_return seq;
}

void MemoryJournal::begin_commit() {
  if (still_mine()) store_.in_flight_.swap(queue_);
  const MonoTime end = later(store_.clock_.now(), store_.commit_delay_);
  commit_ = store_.clock_.call_at(end, [this] { end_commit(); });
}

void MemoryJournal::end_commit() {
  commit_ = 0;
  if (!still_mine()) {
    if (life_ != store_.crashed_) give_up(lost_lock());
    return;
  }
  std::vector<JournalRecord>& batch = store_.in_flight_;
  if (store_.fault_ != MemoryStore::Fault::none) {
    // A commit that failed may be on the disk all the same, so it stays in flight.
    if (batch.size() > store_.good_records_) return give_up(disk_error(store_.fault_));
    store_.good_records_ -= batch.size();
  }
  for (JournalRecord& record : batch) store_.records_.push_back(std::move(record));
  batch.clear();
  durable_seq_ = store_.records_.size();
  store_.heard_ = store_.clock_.now();
  committed_.notify_all();
  if (!queue_.empty()) begin_commit();
}

void MemoryJournal::give_up(Error cause) {
  if (!failure_) failure_ = std::move(cause);
  queue_.clear();
  committed_.notify_all();
}

Error MemoryJournal::lost_lock() const {
  return life_ <= store_.lost_ ? lease_was_lost(*mine_) : lock_was_broken(*mine_);
}

Task<Result<std::vector<JournalRecord>>> MemoryJournal::read(Context) { co_return store_.records_; }

std::optional<Error> MemoryJournal::refusal(const LockOwner& owner) const {
  if (!store_.owner_ || store_.lease_ran_out()) return std::nullopt;
  if (store_.owner_alive_) return refused_by(*store_.owner_, "it is running");
  if (certainly_gone(*store_.owner_, owner)) return std::nullopt;
  return refused_by(*store_.owner_, "it cannot be seen from here whether it runs");
}

Task<Result<Lease>> MemoryJournal::lock(Context, LockOwner owner) {
  check(!mine_, "the lock is taken once");
  check(!owner.nonce.empty(), "a lock has a nonce");
  if (failure_) co_return tl::unexpected(*failure_);
  if (auto refused = refusal(owner)) co_return tl::unexpected(*std::move(refused));
  if (store_.owner_ && store_.owner_alive_) {
    store_.outlived_ = store_.owner_;
    store_.lost_ = store_.life_;
  }
  store_.in_flight_.clear();
  store_.owner_ = owner;
  store_.owner_alive_ = true;
  store_.heard_ = store_.clock_.now();
  life_ = ++store_.life_;
  mine_ = owner;
  durable_seq_ = store_.records_.size();
  next_seq_ = durable_seq_ + 1;
  co_return Lease{std::move(owner), life_, store_.lease_length_};
}

Task<Result<void>> MemoryJournal::renew(Context) {
  if (failure_) co_return tl::unexpected(*failure_);
  if (!mine_) co_return tl::unexpected(not_locked());
  // A lease that expired and that no other process took is still its holder's.
  if (still_mine()) {
    store_.heard_ = store_.clock_.now();
    co_return Result<void>();
  }
  give_up(lost_lock());
  co_return tl::unexpected(*failure_);
}

void MemoryJournal::unlock() {
  if (!mine_) return;
  // What was handed over goes first, as it would on the thread of the other body.
  while (commit_ != 0) {
    store_.clock_.cancel(commit_);
    end_commit();
  }
  if (still_mine()) {
    store_.owner_alive_ = false;
    // A journal that failed writes nothing more, not even that it is free.
    if (!failure_) store_.owner_.reset();
  }
  mine_.reset();
}

Task<Result<std::optional<LockHolder>>> MemoryJournal::holder(Context) {
  if (!store_.owner_) co_return std::nullopt;
  co_return LockHolder{*store_.owner_, store_.owner_alive_ && !store_.lease_ran_out()};
}

Task<Result<void>> MemoryJournal::break_lock(Context, std::string nonce) {
  if (failure_) co_return tl::unexpected(*failure_);
  if (!store_.owner_) co_return tl::unexpected(wrong_nonce(nonce, nullptr));
  if (store_.owner_->nonce != nonce) {
    co_return tl::unexpected(wrong_nonce(nonce, &*store_.owner_));
  }
  // The holder's commit, if one is on its way, comes after this and finds the lock broken.
  store_.in_flight_.clear();
  store_.owner_.reset();
  store_.owner_alive_ = false;
  ++store_.life_;
  co_return Result<void>();
}

}  // namespace ichor
