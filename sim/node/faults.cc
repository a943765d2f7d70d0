#include "sim/node/node_impl.h"

namespace ichor::sim {

void Node::Impl::fail_install_pull(bool failing) {
  pull_failing_ = failing;
  if (failing || m_.install != Install::pulling || frozen_) return;
  const Entry entry(*this);
  write_to_disk(Install::writing);
}

void Node::Impl::hold_time_sync(bool holding) {
  time_held_ = holding;
  if (holding || !m_.time_overdue || frozen_) return;
  const Entry entry(*this);
  on_time_sync();
}

void Node::Impl::replace_maintenance_key() {
  const Entry entry(*this);
  m_.maintenance_key = random_.next();
  note_change();
}

void Node::Impl::freeze(bool frozen) {
  if (frozen == frozen_ || !m_.powered) return;
  const Entry entry(*this);
  frozen_ = frozen;
  note_change();
  for (std::size_t i = 0; i < kTimers; ++i) {
    if (due_[i] == kNever) continue;
    if (frozen) {
      rest_[i] = due_[i] - now();
      clock_.cancel(calls_[i]);
    } else {
      arm(static_cast<Timer>(i), rest_[i]);
    }
  }
  set_member_up(!frozen);
  fabric_.changed();
  if (frozen) return;
  // What was let go while nothing moved.
  if (!pull_failing_ && m_.install == Install::pulling) write_to_disk(Install::writing);
  if (!time_held_ && m_.time_overdue) on_time_sync();
}

void Node::Impl::kill_disk() {
  if (!disk_.installed) return;
  const Entry entry(*this);
  disk_dead_ = true;
  note_change();
  if (!etcd_running()) return;
  set_member_up(false);
  die_of_disk();
  fabric_.changed();
}

}  // namespace ichor::sim
