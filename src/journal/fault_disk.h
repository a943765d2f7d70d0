#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ichor {

/// For tests: a disk under SQLite that misbehaves on demand. It is a VFS of its own name over
/// SQLite's own one, counts everything that changes a file (write, sync, truncate), and knows for
/// every file which bytes were synced. It does not sync in earnest, so it is also the fast disk.
class FaultDisk {
 public:
  FaultDisk();
  FaultDisk(const FaultDisk&) = delete;
  FaultDisk& operator=(const FaultDisk&) = delete;
  ~FaultDisk();

  const std::string& vfs() const { return name_; }
  int operations() const { return operations_; }

  enum class Fault {
    none,
    io_error,     // EIO, once: trying again would seem to work
    no_space,     // ENOSPC, from then on
    short_write,  // half of a write, then ENOSPC
    power_loss,   // from then on nothing works; restore() shows what was left
    call_fails,   // EIO, once, of any call: opening, reading, locking and mapping are counted too
  };
  /// Meets the `at`-th operation (call_fails: call) from now, counted from 1.
  void arm(Fault fault, int at);
  bool fired() const { return fired_; }
  void heal();

  /// After a power loss, and when SQLite has closed its files: leaves in each file what was synced.
  /// With a seed other than 0, also a random part of what was not, torn between sectors.
  void restore(std::uint64_t seed);

  /// What another process does, once, just before a checkpoint begins.
  void before_checkpoint(std::function<void()> act) { before_checkpoint_ = std::move(act); }

  /// Every sync hangs until released.
  void hang();
  void release();
  void wait_until_hanging();
  void wait_until_closed();

 private:
  friend struct FaultFile;
  struct Change {
    std::int64_t offset{0};
    std::string bytes;
    bool truncates{false};
  };
  struct Content {
    std::string synced;
    std::vector<Change> unsynced;
  };
  struct Vfs;

  /// The errno for this operation, or 0.
  int meet(bool& half);
  /// Whether this call, which may change nothing, fails with EIO.
  bool meet_call();
  static void apply(const Change& change, std::size_t size, std::string& bytes);

  std::string name_;
  std::unique_ptr<Vfs> vfs_;
  std::map<std::string, Content> files_;
  int operations_{0};
  std::atomic<int> calls_{0};
  Fault armed_{Fault::none};
  int at_{0};
  bool fired_{false};
  int last_errno_{0};
  std::function<void()> before_checkpoint_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool hangs_{false};
  int hanging_{0};
  int open_files_{0};
};

}  // namespace ichor
