#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/node/event_log.h"
#include "sim/node/machine_view.h"
#include "sim/node/node.h"
#include "sim/node/sequences.h"

namespace ichor::sim {

/// The inside of a Node. One class, because a node is one machine with one memory; its functions
/// are spread over files by subject: lifecycle, boot, etcd, kubernetes, status, api, apply, faults.
///
/// Every way in (a call, a timer, a change in the fabric) opens an Entry. When the outermost one
/// closes, the status event is written and subscribers are notified, so none sees a half-made
/// change.
class Node::Impl {
 public:
  Impl(Clock& clock, Random& random, Fabric& fabric, ConfigJudge& judge, NodeSpec spec,
       NodeDisk disk);
  ~Impl();

  // --- lifecycle.cc: power, maintenance, install, and the ways down
  void power_on();
  void power_off();
  Listener listener() const;
  IpAddress address() const;
  Fingerprint fingerprint() const;
  BootId boot_id() const;
  NodeName hostname() const;
  void accept_config(const std::string& config, const ConfigFacts& facts);
  void activate(const std::string& config, const ConfigFacts& facts);
  void try_config(const std::string& config, const ConfigFacts& facts);
  void leave(SequenceName sequence, bool comes_back, const ResetRequest& reset = {});

  // --- boot.cc: the boot sequence of a configured node
  bool trustd_running() const;

  // --- etcd.cc
  void request_bootstrap(bool recover);
  /// The cluster that this node's own etcd runs in, for calls that go to 127.0.0.1.
  Answer<EtcdCluster*> local_etcd(const Caller& caller, std::string_view method,
                                  std::string_view what) const;
  EtcdCluster* own_cluster() const;
  const EtcdCluster::Member* own_member() const;
  /// What an etcd client on this node talks to: its own cluster, else one its peers have.
  EtcdCluster* cluster_in_reach() const;
  void raise_alarm(EtcdAlarmKind kind);

  // --- kubernetes.cc
  bool api_server_ready() const;

  // --- status.cc: what Talos says about itself, and who is notified
  StatusBrief brief() const;
  std::vector<ServiceStatus> service_list() const;
  Subscription subscribe(std::function<void()> on_change);
  void unsubscribe(Subscription id);

  // --- api.cc: who is answered what
  Answer<void> admit(const Caller& caller, std::string_view service, std::string_view method,
                     Need need) const;
  Answer<void> only_on_control_planes(std::string_view what) const;
  std::vector<Disk> disk_list() const;

  // --- apply.cc
  Answer<ApplyReply> apply(const Caller& caller, const std::string& config, ApplyMode mode,
                           bool dry_run);
  Answer<void> may_apply(const Caller& caller, ApplyMode mode) const;
  Answer<ApplyReply> plan_apply(const std::string& config, const ConfigFacts& facts, ApplyMode mode,
                                bool dry_run) const;
  void carry_out(const std::string& config, const ConfigFacts& facts, ApplyMode mode);

  // --- faults.cc
  void fail_install_pull(bool failing);
  void hold_time_sync(bool holding);
  void replace_maintenance_key();
  void freeze(bool frozen);
  void kill_disk();

  void fabric_changed();

  bool container() const { return spec_.platform == Platform::container; }
  bool old() const { return spec_.personality == Personality::v1_12; }
  /// From 1.14 on no config change reboots a node, and an installation belongs to the boot.
  bool typed() const { return spec_.personality == Personality::v1_14; }
  bool control_plane() const {
    return m_.facts != nullptr && m_.facts->role == Role::control_plane;
  }
  bool in_maintenance() const { return m_.stage == Stage::maintenance && !m_.config_accepted; }
  bool etcd_running() const { return m_.etcd == Etcd::running; }

 private:
  friend class Node;

  enum class Timer : std::uint8_t {
    boot,
    switch_over,
    port,
    install,
    down,
    installer,
    time_sync,
    certificate,
    cri,
    kubelet,
    kubelet_health,
    etcd_prepare,
    etcd_health,
    join,
    join_limit,
    promote,
    api_server,
    node_register,
    node_ready,
    boot_limit,
    rollback,
  };
  static constexpr std::size_t kTimers = static_cast<std::size_t>(Timer::rollback) + 1;

  enum class Etcd : std::uint8_t {
    off,
    waiting,              // for CRI and time
    preparing_join,       // looks for a cluster, again and again
    preparing_bootstrap,  // was asked to make one
    running,
    removed,  // its member is gone from the cluster
    dying,    // cannot write, so it is started again and again
    failed,   // found no cluster in time
  };
  enum class Health : std::uint8_t { unknown, good, bad };
  enum class NodeObject : std::uint8_t { none, registered, ready };
  /// Those of an unattended installation come last: it waits for its disk, works, waits for its
  /// reboot, or tries again after an error.
  enum class Install : std::uint8_t {
    none,
    pulling,
    writing,
    no_such_disk,
    pending,
    unattended,
    rebooting,
    failed
  };

  /// All that a power cut takes away.
  struct Memory {
    bool powered{false};
    bool network_up{false};
    bool maintenance_api{false};
    bool apid_up{false};
    bool config_accepted{false};  // complete config taken; on the way out of maintenance
    bool rebooting_for_config{false};
    bool boot_sequence{false};  // started; not in the install boot
    bool waits_for_certificate{false};
    bool time_synced{false};
    bool time_overdue{false};  // would be in sync if no fault held it
    bool cri_up{false};
    bool kubelet_up{false};
    bool kubelet_healthy{false};
    bool etcd_waited_for{false};  // the boot sequence no longer waits for etcd
    bool etcd_probed{false};
    bool etcd_recovers{false};  // the bootstrap that was requested restores a snapshot
    bool api_server_started{false};
    bool registered_before{false};  // the kubelet had credentials when this boot began
    bool comes_back{true};          // after going down
    Install install{Install::none};
    Etcd etcd{Etcd::off};
    Health etcd_health{Health::unknown};
    NodeObject node_object{NodeObject::none};
    Stage stage{Stage::unknown};
    SequenceName leaving{SequenceName::reboot};
    ResetRequest reset;          // with leaving == reset
    std::string image;           // that is being installed by an upgrade
    std::uint64_t installer{0};  // of which number it is
    std::optional<int> installer_exit;
    MonoTime join_began{};
    MonoTime learner_since{};
    std::uint64_t seen_revision{0};
    BootId boot_id;
    std::uint64_t maintenance_key{0};
    std::string config;  // active
    const ConfigFacts* facts{nullptr};
    std::string other_config;  // accepted but not active yet, or to go back to after a try
    const ConfigFacts* other_facts{nullptr};
  };

  /// Marks a way into the node; see the class comment.
  class Entry {
   public:
    explicit Entry(Impl& impl) : impl_(impl) { ++impl_.depth_; }
    ~Entry() {
      if (--impl_.depth_ == 0) impl_.settle();
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    Impl& impl_;
  };

  // Timers: at most one pending callback for each purpose.
  void arm(Timer timer, Duration delay);
  void arm_once(Timer timer, Duration delay);  // leaves one that is already pending alone
  void disarm(Timer timer);
  void disarm_all();
  bool armed(Timer timer) const { return due_[index(timer)] != kNever; }
  void fire(Timer timer);
  static std::size_t index(Timer timer) { return static_cast<std::size_t>(timer); }

  // Lifecycle.
  void lose_memory();
  void begin_boot();
  void say_early_services();
  void on_api_time();
  void enter_maintenance();
  void on_switch_over();
  void on_port_open();
  void begin_install();
  void begin_unattended_install();
  void finish_unattended_install();
  bool installs_unattended() const { return m_.install >= Install::pending; }
  std::optional<UnattendedInstall> unattended_install() const;
  void write_to_disk(Install install);
  void on_install_over();
  void finish_install();
  void fatal(SequenceName sequence, const char* error);
  void stop_workloads();
  void on_down();
  void wipe_disks();
  void on_rollback();

  // upgrade.cc: boot slots and their marks.
  bool may_install(const std::string& image, Refusal& refusal) const;
  /// Whether the installer got the image into the other slot.
  bool write_slot();
  void on_installer_over();
  /// What is booted now, by the marks on the disk.
  void choose_slot();
  /// The new image does not boot: the old one is next.
  void fall_back();
  /// Running and ready: the new image has proved itself.
  void confirm_slot();
  const Disk* find_disk(const std::string& path) const;
  bool has_volumes(const Disk& disk) const;

  // The boot sequence.
  void begin_boot_sequence();
  void start_cri();
  void open_apid();
  void await_certificate();
  void ask_for_certificate();
  void on_certificate();
  void on_time_sync();
  void on_cri();
  void start_what_waited();
  void check_boot_over();

  // etcd.
  void start_etcd();
  void look_for_cluster();
  void on_join();
  void on_join_limit();
  void on_etcd_prepared();
  void start_member();
  void die_of_disk();
  void on_promote();
  void check_membership();
  void on_etcd_probe();
  void judge_etcd_health();
  Remark health_remark() const;
  void set_member_up(bool up);
  void leave_etcd();

  // Kubernetes.
  void on_kubelet();
  void on_kubelet_probe();
  void start_api_server();
  void on_api_server();
  void follow_registration();
  void on_registered();

  // Events and status.
  void settle();
  void notify();
  void note_change() { dirty_ = true; }
  void set_stage(Stage stage);
  void record_status();
  void say(Service service, ServiceState state, Remark remark);
  void say_waiting(Service service);
  void say_started(Service service, Remark last = Remark::healthy);
  /// Writes START of a sequence and its phases up to the one named, which stays open; without a
  /// name all of them. The stage is entered right after START.
  /// Whether this time the sequence goes without a phase that it can have.
  bool leaves_out(SequenceName sequence, const PhaseScript& phase) const;
  void open_sequence(SequenceName sequence, Stage stage, std::string_view open_phase);
  /// Closes that phase, and writes the phases after it and STOP.
  void close_sequence(SequenceName sequence, std::string_view open_phase);
  void write_phase(SequenceName sequence, const PhaseScript& phase);
  void pass_sequence(SequenceName sequence);  // START and STOP of one with nothing to do
  ServiceStatus service_status(Service service) const;
  bool service_registered(Service service) const;

  MonoTime now() const { return clock_.now(); }
  NodeDisk& change_disk() {
    ++disk_revision_;
    return disk_;
  }

  Clock& clock_;
  Random& random_;
  Fabric& fabric_;
  ConfigJudge& judge_;
  NodeSpec spec_;  // personality and version are those of the booted slot
  const Personality first_personality_;
  NodeDisk disk_;
  std::uint64_t disk_revision_{0};
  Memory m_;
  EventLog log_;

  std::array<Clock::CallId, kTimers> calls_{};
  std::array<MonoTime, kTimers> due_{};   // kNever: not pending
  std::array<Duration, kTimers> rest_{};  // while frozen

  // Faults; they outlive a power cut, but a frozen machine thaws by it.
  bool pull_failing_{false};
  bool time_held_{false};
  bool learner_held_{false};
  bool learner_resumes_{false};
  bool apply_held_{false};
  bool disk_dead_{false};
  bool image_missing_{false};
  bool installer_failing_{false};
  bool image_broken_{false};
  std::uint64_t installers_{0};
  bool frozen_{false};

  int open_streams_{0};
  int depth_{0};
  bool dirty_{false};
  bool notifying_{false};
  StatusBrief shown_;
  using Subscriber = std::pair<Subscription, std::function<void()>>;
  Subscription next_subscription_{1};
  std::vector<Subscriber> subscribers_;
  std::vector<Subscriber> new_subscribers_;  // came while subscribers were being notified
};

}  // namespace ichor::sim
