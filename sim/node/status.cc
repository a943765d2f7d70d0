#include <algorithm>

#include "base/check.h"
#include "sim/node/node_impl.h"

namespace ichor::sim {

StatusBrief Node::Impl::brief() const {
  StatusBrief brief;
  brief.stage = m_.stage;
  if (m_.stage != Stage::booting && m_.stage != Stage::running) return brief;
  brief.time_unsynced = !m_.time_synced;
  brief.network_down = !m_.network_up;
  if (!m_.apid_up) brief.not_running |= bit(Service::apid);
  if (!m_.kubelet_up) brief.not_running |= bit(Service::kubelet);
  if (m_.facts == nullptr || !m_.facts->complete) return brief;
  if (control_plane()) {
    if (!etcd_running()) brief.not_running |= bit(Service::etcd);
    if (etcd_running() && m_.etcd_health == Health::bad) brief.not_healthy |= bit(Service::etcd);
    const bool trusts = m_.boot_sequence && m_.time_synced && !installs_unattended();
    if (!trusts) brief.not_running |= bit(Service::trustd);
    // Only a kubelet that already has credentials reports pods that are not ready yet.
    brief.static_pods = m_.registered_before && armed(Timer::node_ready);
  }
  if (m_.node_object == NodeObject::none) {
    brief.node = StatusBrief::NodeObject::unavailable;
  } else if (m_.node_object == NodeObject::registered) {
    brief.node = StatusBrief::NodeObject::not_ready;
  }
  return brief;
}

bool Node::Impl::service_registered(Service service) const {
  switch (service) {
    case Service::machined:
    case Service::containerd: return true;
    case Service::apid: return !old() || m_.boot_sequence || m_.apid_up;
    case Service::auditd:
    case Service::dashboard:
    case Service::syslogd:
    case Service::udevd: return !container();
    case Service::cri:
    case Service::kubelet: return m_.boot_sequence;
    case Service::etcd:
    case Service::trustd: return m_.boot_sequence && control_plane();
  }
  return false;
}

ServiceStatus Node::Impl::service_status(Service service) const {
  ServiceState state = ServiceState::running;
  Remark remark = Remark::healthy;
  const auto is = [&](ServiceState now_state, Remark now_remark) {
    state = now_state;
    remark = now_remark;
  };
  if (service == Service::dashboard) {
    remark = Remark::started;
  } else if (service == Service::apid && m_.waits_for_certificate) {
    is(ServiceState::waiting, Remark::waiting);
  } else if (service == Service::cri && installs_unattended()) {
    is(ServiceState::waiting, Remark::waiting);
  } else if (service == Service::cri && !m_.cri_up) {
    remark = Remark::started;
  } else if (service == Service::trustd && (!m_.time_synced || installs_unattended())) {
    is(ServiceState::waiting, Remark::waiting);
  } else if (service == Service::kubelet && !m_.kubelet_up) {
    const bool waits = !m_.cri_up || !m_.time_synced;
    is(waits ? ServiceState::waiting : ServiceState::preparing,
       waits ? Remark::waiting : Remark::pre_state);
  } else if (service == Service::kubelet && !m_.kubelet_healthy) {
    remark = Remark::started;
  } else if (service == Service::etcd) {
    switch (m_.etcd) {
      case Etcd::off: is(ServiceState::finished, Remark::stopped); break;
      case Etcd::waiting: is(ServiceState::waiting, Remark::waiting); break;
      case Etcd::preparing_join:
      case Etcd::preparing_bootstrap: is(ServiceState::preparing, Remark::pre_state); break;
      case Etcd::removed:
      case Etcd::dying: is(ServiceState::waiting, Remark::restarting); break;
      case Etcd::failed:
        is(ServiceState::failed, m_.etcd_recovers ? Remark::recovery_failed : Remark::join_failed);
        break;
      case Etcd::running: remark = health_remark(); break;
    }
  }
  ServiceStatus status;
  status.id = name_of(service);
  status.state = name_of(state);
  status.healthy = remark == Remark::healthy;
  const bool sick = remark == Remark::unhealthy || remark == Remark::learning;
  status.health_unknown = !status.healthy && !sick;
  status.last_message = text_of(service, remark);
  return status;
}

std::vector<ServiceStatus> Node::Impl::service_list() const {
  std::vector<ServiceStatus> list;
  list.reserve(kServiceCount);
  for (int i = 0; i < kServiceCount; ++i) {
    const auto service = static_cast<Service>(i);
    if (service_registered(service)) list.push_back(service_status(service));
  }
  return list;
}

void Node::Impl::set_stage(Stage stage) {
  if (m_.stage == stage) return;
  m_.stage = stage;
  record_status();
}

void Node::Impl::record_status() {
  const StatusBrief present = brief();
  if (present == shown_) return;
  shown_ = present;
  dirty_ = true;
  log_.status(now(), present);
}

void Node::Impl::settle() {
  confirm_slot();
  record_status();
  // Whoever is being notified now will see the newest state anyway, but may have looked already.
  if (notifying_) return;
  for (int round = 0; dirty_; ++round) {
    check(round < 1000, "subscribers change the node again and again");
    dirty_ = false;
    notify();
  }
}

void Node::Impl::notify() {
  notifying_ = true;
  for (const Subscriber& subscriber : subscribers_) {
    if (subscriber.first != 0) subscriber.second();
  }
  notifying_ = false;
  std::erase_if(subscribers_, [](const Subscriber& subscriber) { return subscriber.first == 0; });
  for (Subscriber& subscriber : new_subscribers_) subscribers_.push_back(std::move(subscriber));
  new_subscribers_.clear();
}

Node::Subscription Node::Impl::subscribe(std::function<void()> on_change) {
  const Subscription id = next_subscription_++;
  (notifying_ ? new_subscribers_ : subscribers_).emplace_back(id, std::move(on_change));
  return id;
}

void Node::Impl::unsubscribe(Subscription id) {
  const auto is_it = [&](const Subscriber& subscriber) { return subscriber.first == id; };
  std::erase_if(new_subscribers_, is_it);
  const auto found = std::find_if(subscribers_.begin(), subscribers_.end(), is_it);
  if (found == subscribers_.end()) return;
  if (notifying_) {
    found->first = 0;  // it may be the one that runs now
  } else {
    subscribers_.erase(found);
  }
}

void Node::Impl::say(Service service, ServiceState state, Remark remark) {
  note_change();
  log_.service(now(), service, state, remark);
}

void Node::Impl::say_waiting(Service service) {
  say(service, ServiceState::starting, Remark::starting);
  say(service, ServiceState::waiting, Remark::waiting);
}

void Node::Impl::say_started(Service service, Remark last) {
  note_change();
  if (!log_.recording()) return;
  log_.service(now(), service, ServiceState::preparing, Remark::pre_state);
  log_.service(now(), service, ServiceState::preparing, Remark::creating_runner);
  log_.service(now(), service, ServiceState::running, Remark::started);
  if (last == Remark::healthy) log_.service(now(), service, ServiceState::running, last);
}

void Node::Impl::open_sequence(SequenceName sequence, Stage stage, std::string_view open_phase) {
  log_.sequence(now(), sequence, "START");
  set_stage(stage);
  for (const PhaseScript& phase : script_of(sequence, spec_.platform, spec_.personality)) {
    if (leaves_out(sequence, phase)) continue;
    if (phase.name == open_phase) {
      log_.phase(now(), phase.name, "START");
      for (const char* task : phase.tasks) log_.task(now(), task, "START");
      return;
    }
    write_phase(sequence, phase);
  }
}

bool Node::Impl::leaves_out(SequenceName sequence, const PhaseScript& phase) const {
  if (sequence != SequenceName::reset || container()) return false;
  const ResetRequest& reset = m_.reset;
  const std::string_view task = phase.tasks.front();
  if (task == "cordonAndDrainNode" || task == "removeAllPods") return !reset.graceful;
  if (task == "stopAllPods") return reset.graceful;
  if (task == "leaveEtcd") return !reset.graceful || !control_plane();
  // By kexec it boots what is on the disk.
  const std::vector<std::string>& labels = reset.partitions;
  const bool boots_from_disk =
      !labels.empty() && std::find(labels.begin(), labels.end(), "BOOT") == labels.end();
  if (task == "kexecPrepare") return !boots_from_disk;
  if (task == "resetSystemDiskSpec") return labels.empty();
  if (task == "resetSystemDisk") return !labels.empty();
  if (task == "resetUserDisks") return reset.user_disks.empty();
  if (task == "reboot") return !m_.comes_back;
  return task == "shutdown" && m_.comes_back;
}

void Node::Impl::close_sequence(SequenceName sequence, std::string_view open_phase) {
  bool open = false;
  for (const PhaseScript& phase : script_of(sequence, spec_.platform, spec_.personality)) {
    if (open) write_phase(sequence, phase);
    if (phase.name != open_phase) continue;
    open = true;
    for (const char* task : phase.tasks) log_.task(now(), task, "STOP");
    log_.phase(now(), phase.name, "STOP");
  }
  check(open, "a sequence was closed that has no such phase");
  log_.sequence(now(), sequence, "STOP");
}

void Node::Impl::write_phase(SequenceName sequence, const PhaseScript& phase) {
  const std::string_view name = phase.name;
  if (sequence == SequenceName::install && name == "kexec") set_stage(Stage::rebooting);
  // A reset that does not come back ends like a shutdown.
  static constexpr std::array shutdown_task = {"shutdown"};
  const PhaseScript shutdown{"shutdown", shutdown_task};
  const bool ends = name == "reboot" || name == "shutdown";
  log_.whole_phase(now(), ends && !m_.comes_back ? shutdown : phase);
  if (ends) log_.restart(now(), m_.comes_back ? "kexec" : "power off");
}

void Node::Impl::pass_sequence(SequenceName sequence) {
  log_.sequence(now(), sequence, "START");
  log_.sequence(now(), sequence, "STOP");
}

}  // namespace ichor::sim
