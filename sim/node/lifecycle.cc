#include <algorithm>
#include <utility>

#include "base/check.h"
#include "phase/install_disk.h"
#include "sim/node/digest.h"
#include "sim/node/node_impl.h"

namespace ichor::sim {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kOpenStreamDelay = seconds(5);
constexpr Duration kPullLimit = minutes(20);
constexpr Duration kPullAgain = seconds(30);  // an unattended installation tries again
constexpr Duration kMissingDiskDelay = seconds(1);
constexpr Duration kFatalCountdown = seconds(10);
constexpr Duration kTryLimit = minutes(1);

Stage stage_of(SequenceName sequence) {
  if (sequence == SequenceName::shutdown) return Stage::shutting_down;
  if (sequence == SequenceName::upgrade) return Stage::upgrading;
  return sequence == SequenceName::reset ? Stage::resetting : Stage::rebooting;
}

}  // namespace

void Node::Impl::power_on() {
  if (m_.powered) return;
  const Entry entry(*this);
  m_.powered = true;
  begin_boot();
}

void Node::Impl::power_off() {
  if (!m_.powered) return;
  const Entry entry(*this);
  lose_memory();
}

void Node::Impl::lose_memory() {
  disarm_all();
  set_member_up(false);
  m_ = Memory{};
  frozen_ = false;
  log_.forget();
  shown_ = StatusBrief{};
  note_change();
  fabric_.changed();
}

void Node::Impl::begin_boot() {
  check(m_.powered, "a machine without power boots");
  choose_slot();
  if (!disk_.staged_config.empty()) {
    NodeDisk& disk = change_disk();
    disk.config = std::exchange(disk.staged_config, {});
  }
  const std::uint64_t high = random_.next();
  m_.boot_id = BootId(uuid_from(high, random_.next()));
  log_.status(now(), shown_);
  open_sequence(SequenceName::initialize, Stage::booting, "config");
  say_early_services();
  arm(Timer::boot, spec_.durations.power_on_to_api);
}

void Node::Impl::say_early_services() {
  if (!log_.recording()) return;
  const auto say_both = [this](Service service, Remark last) {
    say(service, ServiceState::starting, Remark::starting);
    say_started(service, last);
  };
  say_both(Service::machined, Remark::healthy);
  say_both(Service::containerd, Remark::healthy);
  if (container()) return;
  say_both(Service::udevd, Remark::healthy);
  say_both(Service::auditd, Remark::healthy);
  say_both(Service::syslogd, Remark::healthy);
  say_both(Service::dashboard, Remark::started);
}

void Node::Impl::on_api_time() {
  if (disk_.booted && !disk_.booted->boots) {
    fall_back();
    return;
  }
  // A container has its host's time and knows that before it has looked at its network.
  if (spec_.durations.time_sync == Duration{}) {
    on_time_sync();
    record_status();
  } else {
    arm(Timer::time_sync, spec_.durations.time_sync);
  }
  m_.network_up = true;
  log_.address(now());
  record_status();
  if (!disk_.config.empty()) {
    const ConfigJudgement& found = judge_.judge(disk_.config, spec_, false);
    if (found && found->complete) {
      activate(disk_.config, *found);
      close_sequence(SequenceName::initialize, "config");
      pass_sequence(SequenceName::install);
      begin_boot_sequence();
      return;
    }
    log_.config_error(now());
  }
  enter_maintenance();
}

void Node::Impl::enter_maintenance() {
  m_.maintenance_api = true;
  m_.maintenance_key = random_.next();
  if (!old()) {
    say_waiting(Service::apid);
    say_started(Service::apid);
  }
  log_.task(now(), "runningMaintenance", "START");
  set_stage(Stage::maintenance);
}

void Node::Impl::accept_config(const std::string& config, const ConfigFacts& facts) {
  check(in_maintenance(), "a config was accepted outside maintenance mode");
  check(facts.complete, "an incomplete config ends no maintenance mode");
  m_.config_accepted = true;
  m_.other_config = config;
  m_.other_facts = &facts;
  // 1.12 stops its maintenance server to make room; 1.13 keeps answering until apid has new keys.
  if (old()) m_.maintenance_api = false;
  arm(Timer::switch_over,
      spec_.durations.config_to_switch + (open_streams_ > 0 ? kOpenStreamDelay : Duration{}));
}

void Node::Impl::activate(const std::string& config, const ConfigFacts& facts) {
  const IpAddress before = address();
  m_.config = config;
  m_.facts = &facts;
  note_change();
  if (address() == before) return;
  log_.address(now());
  if (m_.maintenance_api) m_.maintenance_key = random_.next();
}

void Node::Impl::try_config(const std::string& config, const ConfigFacts& facts) {
  if (!armed(Timer::rollback)) {
    m_.other_config = m_.config;
    m_.other_facts = m_.facts;
  }
  activate(config, facts);
  arm(Timer::rollback, kTryLimit);
}

void Node::Impl::on_rollback() {
  check(m_.other_facts != nullptr, "nothing to roll back to");
  const std::string config = std::exchange(m_.other_config, {});
  activate(config, *std::exchange(m_.other_facts, nullptr));
}

void Node::Impl::on_switch_over() {
  m_.maintenance_api = false;
  log_.task(now(), "runningMaintenance", "STOP");
  set_stage(Stage::booting);
  const std::string config = std::exchange(m_.other_config, {});
  activate(config, *std::exchange(m_.other_facts, nullptr));
  // A machine without a system disk has nowhere to keep it before the install is over.
  if (container() || disk_.installed) change_disk().config = config;
  close_sequence(SequenceName::initialize, "config");
  arm(Timer::port, spec_.durations.port_gap);
}

void Node::Impl::on_port_open() {
  const bool unattended = typed() && m_.facts->unattended;
  if (!container() && !disk_.installed && !unattended) {
    begin_install();
    return;
  }
  pass_sequence(SequenceName::install);
  if (!container() && !disk_.installed) begin_unattended_install();
  begin_boot_sequence();
}

/// The installation goes on beside the boot sequence, which waits for it before CRI and trustd.
void Node::Impl::begin_unattended_install() {
  if (find_disk(m_.facts->install_disk) == nullptr) {
    m_.install = Install::pending;
  } else if (pull_failing_) {
    m_.install = Install::failed;
    arm(Timer::install, kPullAgain);
  } else {
    write_to_disk(Install::unattended);
  }
  note_change();
}

void Node::Impl::finish_unattended_install() {
  NodeDisk& disk = change_disk();
  disk.installed = true;
  disk.install_disk = m_.facts->install_disk;
  disk.config = m_.config;
  std::erase(disk.blank_disks, disk.install_disk);
  note_change();
  if (m_.facts->reboots_after_install) {
    m_.install = Install::rebooting;
    leave(SequenceName::reboot, true);
    return;
  }
  m_.install = Install::none;
  start_cri();
  if (trustd_running()) {
    say_started(Service::trustd);
    fabric_.changed();
  }
}

std::optional<UnattendedInstall> Node::Impl::unattended_install() const {
  using Phase = UnattendedInstall::Phase;
  switch (m_.install) {
    case Install::pending: return UnattendedInstall{Phase::pending, "no disk matched the selector"};
    case Install::unattended: return UnattendedInstall{Phase::installing, {}};
    case Install::rebooting: return UnattendedInstall{Phase::waiting_for_reboot, {}};
    case Install::failed: return UnattendedInstall{Phase::failed, "failed to pull image: timeout"};
    default: return std::nullopt;
  }
}

void Node::Impl::begin_install() {
  open_sequence(SequenceName::install, Stage::booting, "install");
  set_stage(Stage::installing);
  if (!old()) {
    if (control_plane()) {
      open_apid();
    } else {
      await_certificate();
    }
  }
  if (pull_failing_) {
    m_.install = Install::pulling;
    arm(Timer::install, kPullLimit);
  } else {
    write_to_disk(Install::writing);
  }
}

void Node::Impl::write_to_disk(Install install) {
  const Disk* target = find_disk(m_.facts->install_disk);
  if (target == nullptr) {
    m_.install = Install::no_such_disk;
    arm(Timer::install, kMissingDiskDelay);
    return;
  }
  m_.install = install;
  NodeDisk& disk = change_disk();
  if (has_volumes(*target)) {
    disk.wiped_disks.push_back(target->serial.empty() ? target->dev_path : target->serial);
  }
  disk.blank_disks.push_back(target->dev_path);
  disk.etcd_cluster.reset();
  disk.etcd_volume = false;
  disk.kubelet_registered = false;
  arm(Timer::install, spec_.durations.install);
}

void Node::Impl::on_install_over() {
  switch (m_.install) {
    case Install::writing: finish_install(); return;
    case Install::unattended: finish_unattended_install(); return;
    case Install::failed: begin_unattended_install(); return;
    case Install::pulling:
      fatal(
          SequenceName::install,
          "sequence failed: error running phase 2 in install sequence: task 1/1: failed, failed to "
          "pull image: timeout");
      return;
    default:
      fatal(
          SequenceName::install,
          "sequence failed: error running phase 2 in install sequence: task 1/1: failed, lstat: no "
          "such file or directory");
  }
}

void Node::Impl::finish_install() {
  NodeDisk& disk = change_disk();
  disk.installed = true;
  const Disk* target = find_disk(m_.facts->install_disk);
  disk.install_disk = target ? target->dev_path : m_.facts->install_disk;
  disk.config = m_.config;
  std::erase(disk.blank_disks, disk.install_disk);
  m_.install = Install::none;
  m_.apid_up = false;
  m_.waits_for_certificate = false;
  disarm(Timer::certificate);
  close_sequence(SequenceName::install, "install");
  arm(Timer::down, spec_.durations.reboot_down);
}

void Node::Impl::fatal(SequenceName sequence, const char* error) {
  // Talos writes STOP without an error first, so a failed boot looks like a finished one for a
  // moment.
  log_.sequence(now(), sequence, "STOP");
  if (sequence == SequenceName::boot) set_stage(Stage::running);
  log_.sequence(now(), sequence, "NOOP", error);
  set_stage(Stage::rebooting);
  m_.install = Install::none;
  arm(Timer::down, kFatalCountdown);
}

void Node::Impl::leave(SequenceName sequence, bool comes_back, const ResetRequest& reset) {
  if (armed(Timer::down)) {
    log_.sequence(now(), sequence, "NOOP", "sequence not started: locked");
    return;
  }
  m_.leaving = sequence;
  m_.comes_back = comes_back;
  m_.reset = reset;
  open_sequence(sequence, stage_of(sequence), "");
  if (sequence == SequenceName::reset && reset.graceful && !container()) leave_etcd();
  stop_workloads();
  const bool installs = sequence == SequenceName::upgrade;
  arm(Timer::down, spec_.durations.reboot_down + (installs ? spec_.durations.upgrade : Duration{}));
}

void Node::Impl::stop_workloads() {
  disarm_all();
  set_member_up(false);
  m_.etcd = Etcd::off;
  m_.cri_up = false;
  m_.kubelet_up = false;
  m_.kubelet_healthy = false;
  m_.api_server_started = false;
  m_.boot_sequence = false;
  m_.install = Install::none;
  fabric_.changed();
}

void Node::Impl::on_down() {
  if (m_.leaving == SequenceName::reset && !container()) wipe_disks();
  if (m_.leaving == SequenceName::upgrade) write_slot();
  const bool comes_back = m_.comes_back;
  lose_memory();
  if (!comes_back) return;
  m_.powered = true;
  begin_boot();
}

void Node::Impl::wipe_disks() {
  NodeDisk& disk = change_disk();
  const std::vector<std::string>& labels = m_.reset.partitions;
  const auto goes = [&](const char* label) {
    return labels.empty() || std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  for (const std::string& path : m_.reset.user_disks) disk.blank_disks.push_back(path);
  if (labels.empty()) {
    if (!disk.install_disk.empty()) disk.blank_disks.push_back(disk.install_disk);
    disk.installed = false;
    disk.install_disk.clear();
    disk.has_other = disk.boots_other = disk.upgrade_mark = false;
    disk.booted.reset();
    disk.other.reset();
  }
  if (goes("STATE")) {
    disk.config.clear();
    disk.staged_config.clear();
  }
  if (goes("EPHEMERAL")) {
    disk.kubelet_registered = false;
    disk.recovery_snapshot.clear();
  }
  if (goes(disk.etcd_volume ? "ETCD" : "EPHEMERAL")) {
    disk.etcd_cluster.reset();
    disk.etcd_volume = false;
  }
}

Listener Node::Impl::listener() const {
  if (!m_.network_up) return Listener::silent;
  if (m_.maintenance_api) return Listener::maintenance;
  return m_.apid_up ? Listener::apid : Listener::refused;
}

IpAddress Node::Impl::address() const {
  if (!m_.network_up) return {};
  const bool fixed = m_.facts != nullptr && !m_.facts->static_address.value().empty();
  return fixed ? m_.facts->static_address : spec_.dhcp_address;
}

Fingerprint Node::Impl::fingerprint() const {
  switch (listener()) {
    case Listener::maintenance: return fingerprint_from(m_.maintenance_key);
    case Listener::apid:
      return fingerprint_from(head_of(m_.facts->os_ca) ^ head_of(quick_digest(spec_.name.value())));
    default: return {};
  }
}

BootId Node::Impl::boot_id() const { return m_.powered ? m_.boot_id : BootId(); }

NodeName Node::Impl::hostname() const {
  if (m_.facts != nullptr && !m_.facts->hostname.value().empty()) return m_.facts->hostname;
  static constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string name = "talos-";
  std::uint64_t bits = head_of(quick_digest(spec_.name.value() + spec_.hardware.uuid.value()));
  for (int i = 0; i < 6; ++i, bits /= letters.size()) {
    if (i == 3) name += '-';
    name += letters[bits % letters.size()];
  }
  return NodeName(std::move(name));
}

const Disk* Node::Impl::find_disk(const std::string& path) const {
  const auto found = std::find_if(spec_.disks.begin(), spec_.disks.end(),
                                  [&](const Disk& disk) { return is_at(disk, path); });
  return found == spec_.disks.end() ? nullptr : &*found;
}

bool Node::Impl::has_volumes(const Disk& disk) const {
  if (disk_.installed && disk.dev_path == disk_.install_disk) return true;
  const auto& blank = disk_.blank_disks;
  return disk.has_volumes && std::find(blank.begin(), blank.end(), disk.dev_path) == blank.end();
}

}  // namespace ichor::sim
