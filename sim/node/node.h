#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/clock.h"
#include "base/result.h"
#include "model/call.h"
#include "model/node.h"
#include "model/node_view.h"
#include "model/reset_request.h"
#include "port/random.h"
#include "sim/node/config_judge.h"
#include "sim/node/fabric.h"
#include "sim/node/spec.h"

namespace ichor::sim {

/// What a node answers to a call it does not fulfil: gRPC's code and Talos' exact text.
struct Refusal {
  Code code{Code::unknown};
  std::string text;
  FaultId fault{};  // what our own adapter would have found in the answer
};
template <class T>
using Answer = tl::expected<T, Refusal>;

/// What a dialled port 50000 does.
enum class Listener {
  silent,       // the machine is off or rebooting: packets vanish
  refused,      // the machine is up, no program listens
  maintenance,  // TLS with a self-signed certificate, no client certificate asked for
  apid,         // TLS under the config's CA, client certificate required
};

/// Who calls, as the TLS layer found out. The model does no TLS itself: sim and lab do that around
/// it.
struct Caller {
  bool anonymous{true};  // maintenance mode
  bool admin{false};     // os:admin
  bool reader{false};    // os:reader or more
};

/// The least role a method wants of its caller.
enum class Need { reader, admin };

/// What survives a power cut: plain data, so that the lab can store it and a checker can look at
/// it.
struct NodeDisk {
  bool installed{false};
  std::string install_disk;                   // dev path it was installed to
  std::string config;                         // last config persisted; empty: none
  std::string staged_config;                  // takes the place of `config` at the next boot
  std::optional<std::uint64_t> etcd_cluster;  // cluster id the data directory belongs to
  EtcdMemberId etcd_member;
  std::string recovery_snapshot{};       // uploaded, and not restored yet
  bool etcd_volume{false};               // its data is not in EPHEMERAL, but in a partition ETCD
  bool kubelet_registered{false};        // the kubelet has got its credentials in an earlier boot
  std::vector<std::string> blank_disks;  // dev paths whose former volumes are gone
  std::vector<std::string> wiped_disks;  // serials of disks with data that an install overwrote
  // The two boot slots. Empty: what the first install put there.
  std::optional<BootSlot> booted, other;
  bool has_other{false};     // there is something to go back to, or to go on to
  bool boots_other{false};   // the other slot is booted next
  bool upgrade_mark{false};  // META key 6: the new image has not proved itself yet
};

/// An entry of the event stream: type as in talos-api.md 1.3, already rendered to its fields.
struct NodeEvent {
  enum class Kind {
    sequence,
    phase,
    task,
    service,
    machine_status,
    address,
    config_error,
    restart
  };
  Kind kind{Kind::machine_status};
  std::uint64_t id{0};  // increasing
  MonoTime at{};
  std::string name;    // sequence, phase, task or service name
  std::string action;  // "START", "STOP", "NOOP", or the service state
  std::string message;
  MachineStatus status;  // machine_status only
};

/// One Talos node: a state machine on a Clock. It does what talos-api.md §3 and the recordings in
/// real-talos/README.md say, in all personalities, and nothing about transport: sim/ puts it
/// behind an in-process network, lab/ behind gRPC and TLS.
///
/// Calls are synchronous and take no time; latency is the transport's. Effects play out on the
/// clock.
class Node {
 public:
  /// Clock, random, fabric and judge must outlive the node. It starts powered off.
  Node(Clock& clock, Random& random, Fabric& fabric, ConfigJudge& judge, NodeSpec spec,
       NodeDisk disk = {});
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // --- the machine
  void power_on();
  void power_off();  // at once, without a shutdown sequence; memory is lost, disk stays
  void power_cycle() {
    power_off();
    power_on();
  }
  bool powered() const;
  /// A learner goes on to be promoted when its etcd starts next, as if nothing had come between.
  /// For machines that are put back after whoever simulates them was gone.
  void resume_learner();

  Listener listener() const;
  IpAddress address() const;  // DHCP or the config's static one; empty while down
  /// Of the certificate served now; changes with every maintenance boot, and is derived from the CA
  /// and the machine under apid. A digest in text form, not a real key: the lab has real ones.
  /// Empty while nothing is served.
  Fingerprint fingerprint() const;
  /// Which CA apid's certificate is from and client certificates are checked against (the config's
  /// machine.ca as a digest); empty in maintenance mode.
  Digest operating_system_ca() const;
  const NodeSpec& spec() const;
  const NodeDisk& disk() const;
  std::uint64_t disk_revision() const;  // counts every change of disk()
  NodeName hostname() const;
  Stage stage() const;     // ungated, for checkers; callers read machine_status
  BootId boot_id() const;  // ungated likewise; empty while off
  /// The active config's, also an incomplete one's; nullptr without config.
  const ConfigFacts* facts() const;

  // --- reads
  /// Whether a method of Talos' API is served to this caller now; else what it is answered instead.
  /// For methods that the model has no answer of its own for, such as Dmesg. The service is the
  /// full gRPC name, e.g. "machine.MachineService".
  Answer<void> admit(const Caller& caller, std::string_view service, std::string_view method,
                     Need need) const;
  Answer<TalosVersion> version(const Caller& caller) const;           // the Version RPC
  Answer<TalosVersion> version_resource(const Caller& caller) const;  // also served in maintenance
  Answer<MachineStatus> machine_status(const Caller& caller) const;
  Answer<Identity> identity(
      const Caller& caller) const;  // links, SMBIOS, and boot id where allowed
  Answer<std::vector<Disk>> disks(const Caller& caller) const;
  Answer<std::vector<ServiceStatus>> services(const Caller& caller) const;
  Answer<bool> time_synced(const Caller& caller) const;
  Answer<Hardware> hardware(const Caller& caller) const;
  Answer<std::optional<std::string>> machine_config(const Caller& caller) const;
  Answer<bool> etcd_has_data(const Caller& caller) const;
  Answer<std::vector<EtcdMember>> etcd_members(const Caller& caller) const;
  Answer<EtcdStatus> etcd_status(const Caller& caller) const;
  Answer<std::vector<EtcdAlarm>> etcd_alarms(const Caller& caller) const;
  /// Admin kubeconfig's server; the transport makes the file of it.
  Answer<std::string> kubeconfig(const Caller& caller) const;
  Answer<UpgradeView> upgrade_state(const Caller& caller) const;
  /// How the installer that was started with this number ended; nothing while it runs, or if it
  /// never will because the machine went down.
  std::optional<int> installer_exit(std::uint64_t number) const;
  std::vector<NodeEvent> events(std::uint64_t after_id = 0) const;  // of this boot, the last 990
  bool api_server_ready() const;  // this node's own kube-apiserver answers /readyz
  bool kubelet_running() const;
  /// Whether the kubelet of this boot has reported its Node object, and as Ready.
  bool node_registered() const;
  bool node_ready() const;
  bool trustd_running() const;

  // --- mutations
  enum class ApplyMode { reboot = 0, automatic = 1, no_reboot = 2, staged = 3, try_mode = 4 };
  struct ApplyReply {
    std::vector<std::string> warnings;
    ApplyMode mode{ApplyMode::reboot};
    std::string mode_details;
  };
  Answer<ApplyReply> apply(const Caller& caller, const std::string& config, ApplyMode mode,
                           bool dry_run);
  Answer<void> bootstrap(const Caller& caller, bool recover = false);
  Answer<void> reboot(const Caller& caller);
  Answer<void> shutdown(const Caller& caller);
  Answer<void> reset(const Caller& caller, const ResetRequest& request);
  Answer<void> pull_image(const Caller& caller, const std::string& image);
  /// MachineService: installs, then reboots.
  Answer<void> upgrade(const Caller& caller, const std::string& image);
  /// LifecycleService: starts an installer, whose number it gives, and reboots nothing.
  Answer<std::uint64_t> start_installer(const Caller& caller, const std::string& image);
  Answer<void> rollback(const Caller& caller);
  Answer<void> restart_service(const Caller& caller, const std::string& id);
  Answer<void> etcd_remove_member(const Caller& caller, EtcdMemberId member);
  // --- etcd_api.cc
  Answer<void> etcd_defragment(const Caller& caller);
  Answer<void> etcd_leave(const Caller& caller);
  /// The new leader; nothing if this member was not the leader.
  Answer<std::optional<NodeName>> etcd_forfeit_leadership(const Caller& caller);
  Answer<std::string> etcd_snapshot(const Caller& caller) const;
  Answer<void> etcd_recover(const Caller& caller, std::string snapshot);

  // --- hooks
  /// Called after anything a watch could see has changed. One subscriber list; the id unsubscribes.
  /// The callback may read and call the node, but not destroy it.
  using Subscription = std::uint64_t;
  Subscription subscribe(std::function<void()> on_change);
  void unsubscribe(Subscription id);
  /// The transport says that a client opened (+1) or closed (-1) a stream: one that is open when a
  /// config is applied in maintenance mode delays the switch to apid by 5 s.
  void count_streams(int delta);

  // --- faults inside the machine (network faults are the transport's)
  void fail_install_pull(bool failing);  // D2: installer image cannot be pulled
  void miss_image(bool missing);         // U1: installer images cannot be pulled on this machine
  void fail_installer(bool failing);     // U4: its boot partition is full
  void break_image(bool broken);         // U3: what is installed from now on does not boot
  void hold_time_sync(bool holding);     // T7
  /// T2: another machine answers at its address, under its own key and with this identity.
  void replace_maintenance_key();
  /// D7: TCP up, no call is answered, and nothing inside moves on until it is thawed.
  void freeze(bool frozen);
  void hold_learner(bool holding);       // E7: catch-up never ends
  void raise_alarm(EtcdAlarmKind kind);  // E9
  void hold_apply(bool holding);         // A1: as if another apply were in progress (1.13)
  void kill_disk();  // D11: the system disk takes no more writes, for good; etcd dies of it
  bool frozen() const;

 private:
  friend class Fabric;
  void fabric_changed();

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ichor::sim
