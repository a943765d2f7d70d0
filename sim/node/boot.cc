#include "base/check.h"
#include "sim/node/node_impl.h"

namespace ichor::sim {

namespace {

constexpr Duration kBootLimit = std::chrono::minutes(70);

}  // namespace

void Node::Impl::begin_boot_sequence() {
  check(m_.facts != nullptr, "a boot sequence without config");
  m_.boot_sequence = true;
  m_.registered_before = disk_.kubelet_registered;
  open_sequence(SequenceName::boot, Stage::booting, "startEverything");
  arm(Timer::boot_limit, kBootLimit);
  if (typed() && !container() && disk_.installed && m_.facts->etcd_volume && !disk_.etcd_volume) {
    // It is made at the first boot, and what is in EPHEMERAL then is not moved.
    NodeDisk& disk = change_disk();
    disk.etcd_volume = true;
    disk.etcd_cluster.reset();
  }
  start_cri();
  say_waiting(Service::cri);
  say_waiting(Service::kubelet);
  if (control_plane()) {
    m_.etcd = Etcd::waiting;
    say_waiting(Service::etcd);
    say_waiting(Service::trustd);
    say_waiting(Service::apid);
    open_apid();
    if (trustd_running()) {
      say_started(Service::trustd);
      fabric_.changed();
    }
  } else {
    await_certificate();
  }
}

void Node::Impl::start_cri() {
  if (!installs_unattended()) arm(Timer::cri, spec_.durations.cri_start);
}

void Node::Impl::open_apid() {
  m_.apid_up = true;
  say_started(Service::apid);
  check_boot_over();
}

void Node::Impl::await_certificate() {
  m_.waits_for_certificate = true;
  say_waiting(Service::apid);
  ask_for_certificate();
}

void Node::Impl::ask_for_certificate() {
  if (!m_.waits_for_certificate) return;
  if (fabric_.trustd_reachable(m_.facts->secrets)) {
    arm_once(Timer::certificate, spec_.durations.worker_certificate);
  } else {
    disarm(Timer::certificate);
  }
}

void Node::Impl::on_certificate() {
  m_.waits_for_certificate = false;
  open_apid();
}

void Node::Impl::on_time_sync() {
  if (time_held_) {
    m_.time_overdue = true;
    return;
  }
  m_.time_overdue = false;
  m_.time_synced = true;
  note_change();
  if (m_.maintenance_api && spec_.new_key_on_time_sync) m_.maintenance_key = random_.next();
  if (trustd_running()) {
    say_started(Service::trustd);
    fabric_.changed();
  }
  start_what_waited();
}

void Node::Impl::on_cri() {
  m_.cri_up = true;
  say_started(Service::cri);
  start_what_waited();
}

void Node::Impl::start_what_waited() {
  if (!m_.boot_sequence || !m_.cri_up || !m_.time_synced) return;
  if (!m_.kubelet_up) arm_once(Timer::kubelet, spec_.durations.kubelet_start);
  start_etcd();
  check_boot_over();
}

bool Node::Impl::trustd_running() const {
  return m_.boot_sequence && control_plane() && m_.time_synced && !frozen_ &&
         !installs_unattended();
}

void Node::Impl::check_boot_over() {
  if (m_.stage != Stage::booting || !m_.boot_sequence) return;
  if (!m_.apid_up || !m_.cri_up || !m_.kubelet_healthy) return;
  if (control_plane() && (!m_.time_synced || !m_.etcd_waited_for)) return;
  disarm(Timer::boot_limit);
  close_sequence(SequenceName::boot, "startEverything");
  set_stage(Stage::running);
}

}  // namespace ichor::sim
