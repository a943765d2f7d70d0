#include "sim/virtual_clock.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace ichor::sim {

namespace {

constexpr std::size_t kInitialSlots = 64;
constexpr std::size_t kSweepAt = 64;  // fewer stale entries than this are not worth a sweep

std::int64_t to_ms(MonoTime at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

}  // namespace

VirtualClock::VirtualClock(WallTime epoch) : wall_offset_ms_(epoch.unix_ms), ring_(kInitialSlots) {
  slots_.reserve(kInitialSlots);
  free_slots_.reserve(kInitialSlots);
  heap_.reserve(kInitialSlots);
}

WallTime VirtualClock::wall() const { return WallTime{wall_offset_ms_ + to_ms(now_)}; }

void VirtualClock::set_wall(WallTime wall) { wall_offset_ms_ = wall.unix_ms - to_ms(now_); }

Clock::CallId VirtualClock::call_at(MonoTime when, Callback callback, Sleeper* owner) {
  check(static_cast<bool>(callback), "an empty callback was scheduled");
  const Ticket ticket = take_slot(std::move(callback), owner, when > now_);
  enqueue(when, ticket);
  return (static_cast<CallId>(ticket.generation) << 32) | (ticket.slot + 1u);
}

void VirtualClock::enqueue(MonoTime when, Ticket ticket) {
  slots_[ticket.slot].in_heap = when > now_;
  if (when <= now_) {
    push_ring(ticket);
    return;
  }
  heap_.push_back(Entry{when, next_order_++, ticket});
  std::push_heap(heap_.begin(), heap_.end(), Later{});
}

void VirtualClock::put_to_sleep(Sleeper& sleeper) {
  check(!sleeper.asleep_, "a sleeper falls asleep only once");
  sleeper.asleep_ = true;
}

void VirtualClock::wake(Sleeper& sleeper, Duration shift) {
  check(sleeper.asleep_, "who wakes up was asleep");
  sleeper.asleep_ = false;
  for (Entry& entry : heap_) {
    const bool its_own = live(entry.ticket) && slots_[entry.ticket.slot].owner == &sleeper;
    if (its_own) entry.when = later(entry.when, shift);
  }
  std::make_heap(heap_.begin(), heap_.end(), Later{});
  for (const Entry& entry : std::exchange(sleeper.held_, {})) {
    if (live(entry.ticket)) enqueue(later(entry.when, shift), entry.ticket);
  }
}

void VirtualClock::cancel(CallId id) {
  const auto slot_plus_one = static_cast<std::uint32_t>(id);
  const Ticket ticket{slot_plus_one - 1u, static_cast<std::uint32_t>(id >> 32)};
  if (slot_plus_one == 0 || ticket.slot >= slots_.size() || !live(ticket)) return;
  if (slots_[ticket.slot].in_heap) ++stale_in_heap_;
  // The callback dies at the end of this statement, after the slot is settled: its captures may
  // cancel others as they go.
  Callback dying = release(ticket.slot);
  if (stale_in_heap_ >= kSweepAt && stale_in_heap_ * 2 > heap_.size()) sweep_heap();
}

bool VirtualClock::step() {
  drop_stale_heads();
  // What is in the heap for this very time was asked for before time came here, so it goes first.
  const bool heap_first = !heap_.empty() && heap_.front().when <= now_;
  if (ring_size_ > 0 && !heap_first) {
    const Ticket ticket = ring_[ring_head_];
    ring_head_ = (ring_head_ + 1) & (ring_.size() - 1);
    --ring_size_;
    run(ticket);
    return true;
  }
  if (heap_.empty() || heap_.front().when == kNever) return false;
  const Entry entry = heap_.front();
  std::pop_heap(heap_.begin(), heap_.end(), Later{});
  heap_.pop_back();
  check(entry.when >= now_, "time would run backwards");
  now_ = entry.when;
  run(entry.ticket);
  return true;
}

void VirtualClock::run_until(MonoTime when) {
  while (next_at() <= when) {
    if (!step()) break;
  }
  now_ = std::max(now_, when);
}

MonoTime VirtualClock::next_at() {
  drop_stale_heads();
  if (ring_size_ > 0) return now_;
  return heap_.empty() ? kNever : heap_.front().when;
}

VirtualClock::Ticket VirtualClock::take_slot(Callback callback, Sleeper* owner, bool in_heap) {
  ++waiting_;
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[index];
  slot.callback = std::move(callback);
  slot.owner = owner;
  slot.in_heap = in_heap;
  return Ticket{index, slot.generation};
}

Clock::Callback VirtualClock::release(std::uint32_t index) {
  check(waiting_ > 0, "more callbacks released than taken");
  --waiting_;
  Slot& slot = slots_[index];
  Callback callback = std::move(slot.callback);
  slot.callback = nullptr;
  ++slot.generation;
  free_slots_.push_back(index);
  return callback;
}

void VirtualClock::drop_stale_heads() {
  while (ring_size_ > 0 && !live(ring_[ring_head_])) {
    ring_head_ = (ring_head_ + 1) & (ring_.size() - 1);
    --ring_size_;
  }
  while (!heap_.empty() && !live(heap_.front().ticket)) {
    std::pop_heap(heap_.begin(), heap_.end(), Later{});
    heap_.pop_back();
    --stale_in_heap_;
  }
}

void VirtualClock::sweep_heap() {
  std::erase_if(heap_, [this](const Entry& entry) { return !live(entry.ticket); });
  std::make_heap(heap_.begin(), heap_.end(), Later{});
  stale_in_heap_ = 0;
}

void VirtualClock::push_ring(Ticket ticket) {
  if (ring_size_ == ring_.size()) {
    // Unroll into order before growing, because the mask changes with the capacity.
    std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(ring_head_),
                ring_.end());
    ring_head_ = 0;
    ring_.resize(ring_.size() * 2);
  }
  ring_[(ring_head_ + ring_size_) & (ring_.size() - 1)] = ticket;
  ++ring_size_;
}

void VirtualClock::run(Ticket ticket) {
  check(live(ticket), "a cancelled callback surfaced");
  Slot& slot = slots_[ticket.slot];
  if (slot.owner != nullptr && slot.owner->asleep_) {
    // A time that it had asked for is shifted with its clock; what others want of it is due at once
    // when it wakes up.
    slot.owner->held_.push_back(Entry{slot.in_heap ? now_ : MonoTime{}, 0, ticket});
    slot.in_heap = false;
    return;
  }
  const Callback callback = release(ticket.slot);
  callback();
}

}  // namespace ichor::sim
