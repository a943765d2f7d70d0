#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "async/clock.h"

namespace ichor::sim {

/// Time that passes only on request: `step` jumps to the next callback and runs it. The
/// same calls in the same order give the same run, and an idle hour costs nothing.
///
/// A callback may ask for and cancel others, and may itself drive the clock no further.
class VirtualClock final : public Clock {
  struct Entry;

 public:
  /// A process whose callbacks can be held back for a while: see sim/process_clock.h.
  class Sleeper {
   public:
    bool asleep() const { return asleep_; }

   private:
    friend class VirtualClock;
    bool asleep_{false};
    std::vector<Entry> held_;
  };

  explicit VirtualClock(WallTime epoch = WallTime{1'767'225'600'000});  // 2026-01-01T00:00:00Z

  MonoTime now() const override { return now_; }
  WallTime wall() const override;
  CallId call_at(MonoTime when, Callback callback) override {
    return call_at(when, std::move(callback), nullptr);
  }
  CallId call_at(MonoTime when, Callback callback, Sleeper* owner);
  void cancel(CallId id) override;

  /// Runs the next callback, advancing time to it; false if there is none (or it is at kNever).
  bool step();
  /// Runs everything due up to and including `when`; afterwards that is the time.
  void run_until(MonoTime when);
  void run_for(Duration duration) { run_until(later(now_, duration)); }
  /// When the next callback is due; kNever without one.
  MonoTime next_at();
  bool idle() const { return waiting_ == 0; }
  std::size_t waiting() const { return waiting_; }

  /// From now on no callback of this one runs; those that come due are held.
  void put_to_sleep(Sleeper& sleeper);
  /// They run as if everything it had asked for before were later by `shift`: what is due by then
  /// now, the rest in its time.
  void wake(Sleeper& sleeper, Duration shift);

  /// Makes wall() jump without touching now(), as an operator or NTP does.
  void set_wall(WallTime wall);

 private:
  struct Slot {
    Callback callback;
    Sleeper* owner{nullptr};
    std::uint32_t generation{1};
    bool in_heap{false};
  };
  struct Ticket {
    std::uint32_t slot{0};
    std::uint32_t generation{0};
  };
  struct Entry {
    MonoTime when;
    std::uint64_t order{0};
    Ticket ticket;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.when != b.when ? a.when > b.when : a.order > b.order;
    }
  };

  Ticket take_slot(Callback callback, Sleeper* owner, bool in_heap);
  void enqueue(MonoTime when, Ticket ticket);
  Callback release(std::uint32_t slot);
  bool live(Ticket ticket) const { return slots_[ticket.slot].generation == ticket.generation; }
  void drop_stale_heads();
  void sweep_heap();
  void push_ring(Ticket ticket);
  void run(Ticket ticket);

  MonoTime now_{};
  std::int64_t wall_offset_ms_{0};
  std::uint64_t next_order_{0};
  std::size_t waiting_{0};
  std::size_t stale_in_heap_{0};
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<Entry> heap_;   // callbacks of a later time; a cancelled one stays until it surfaces
  std::vector<Ticket> ring_;  // callbacks due now, first in first out; capacity is a power of two
  std::size_t ring_head_{0};
  std::size_t ring_size_{0};
};

}  // namespace ichor::sim
