#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "async/signal.h"
#include "port/journal.h"

namespace ichor {

/// What a crash of ichor leaves on a simulated disk: the committed records, the commit that the
/// crash met, and the name in the lock. Processes come and go as MemoryJournal objects.
class MemoryStore {
 public:
  /// The machine's clock: commits end by it.
  explicit MemoryStore(Clock& clock) : clock_(clock) {}
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  const std::vector<JournalRecord>& records() const { return records_; }
  /// Being committed now, or when the holder died or the disk failed: durable or not, as one.
  const std::vector<JournalRecord>& in_flight() const { return in_flight_; }

  /// How long one commit takes from now on.
  void set_commit_delay(Duration delay) { commit_delay_ = delay; }
  /// Leases run out after this time without a word of their holder; zero: never while it lives.
  void set_lease_length(Duration length) { lease_length_ = length; }

  /// The truth about the lock: who holds it, and who lost it last because its lease ran out.
  const std::optional<LockOwner>& owner() const { return owner_; }
  const std::optional<LockOwner>& outlived() const { return outlived_; }

  /// The lock's holder dies, before or after its MemoryJournal does; what was in flight became
  /// durable or did not. A MemoryJournal that lives on is a ghost: its appends never end.
  void crash(bool keep_in_flight);

  enum class Fault { none, no_space, io_error };
  /// Lets `count` more records become durable, and no commit after those.
  void fail_after(std::uint64_t count, Fault fault = Fault::no_space);
  void heal() { fault_ = Fault::none; }

 private:
  friend class MemoryJournal;

  bool lease_ran_out() const {
    return lease_length_ > Duration{} && clock_.now() >= later(heard_, lease_length_);
  }

  Clock& clock_;
  Duration commit_delay_{};
  Duration lease_length_{};
  MonoTime heard_{};  // the last word of the lock's holder
  std::vector<JournalRecord> records_;
  std::vector<JournalRecord> in_flight_;
  std::optional<LockOwner> owner_;
  bool owner_alive_{false};
  std::optional<LockOwner> outlived_;
  std::uint64_t life_{0};     // the fence: how often the lock was taken, broken or lost by a crash
  std::uint64_t crashed_{0};  // the life that ended in the last crash
  std::uint64_t lost_{0};     // the last life whose lease ran out
  Fault fault_{Fault::none};
  std::uint64_t good_records_{0};
};

/// The twin of SqliteJournal for the simulator, under the same contract: one process's handle on a
/// MemoryStore, which must outlive it. Dying without unlock() is a crash whose in-flight commit is
/// still undecided; MemoryStore::crash() decides it, else it was lost.
class MemoryJournal final : public Journal {
 public:
  explicit MemoryJournal(MemoryStore& store) : store_(store) {}
  MemoryJournal(const MemoryJournal&) = delete;
  MemoryJournal& operator=(const MemoryJournal&) = delete;
  ~MemoryJournal() override;

  Task<Result<std::uint64_t>> append(Context context, JournalRecord record) override;
  Task<Result<std::vector<JournalRecord>>> read(Context context) override;
  Task<Result<Lease>> lock(Context context, LockOwner owner) override;
  Task<Result<void>> renew(Context context) override;
  void unlock() override;
  Task<Result<std::optional<LockHolder>>> holder(Context context) override;
  Task<Result<void>> break_lock(Context context, std::string nonce) override;

 private:
  bool still_mine() const { return store_.life_ == life_; }
  void begin_commit();
  void end_commit();
  void give_up(Error cause);
  std::optional<Error> refusal(const LockOwner& owner) const;
  Error lost_lock() const;

  MemoryStore& store_;
  std::optional<LockOwner> mine_;
  std::uint64_t life_{0};
  std::uint64_t next_seq_{1};
  std::uint64_t durable_seq_{0};
  std::vector<JournalRecord> queue_;  // waits for the commit before it
  Clock::CallId commit_{0};
  Signal committed_;
  std::optional<Error> failure_;
};

}  // namespace ichor
