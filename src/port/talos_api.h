#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "async/bell.h"
#include "async/context.h"
#include "async/task.h"
#include "base/secret.h"
#include "model/call.h"
#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "model/node.h"
#include "model/node_view.h"
#include "model/outcome.h"
#include "model/reset_request.h"
#include "model/upgrade_request.h"
#include "port/byte_stream.h"

namespace ichor {

/// Which of Talos' two faces answered.
enum class PeerMode { maintenance, configured };

/// What the handshake of a session proved.
struct Peer {
  PeerMode mode{PeerMode::maintenance};
  Fingerprint fingerprint;  // of the leaf certificate that was seen
  WallTime expires{};       // the same certificate; zero: not known
};

/// What a caller demands of the peer before the first byte of a request.
struct PeerDemand {
  /// One of them must be the leaf's, if it is in maintenance mode; empty: any key will do.
  std::vector<Fingerprint> maintenance_pins;

  bool allows(const Fingerprint& shown) const {
    return maintenance_pins.empty() || std::find(maintenance_pins.begin(), maintenance_pins.end(),
                                                 shown) != maintenance_pins.end();
  }
};

/// An open stream of changes. It rings the bell that it was opened with after every change and once
/// when it ends. What changed is not said: the listener reads again, so lost or doubled events are
/// harmless. Destroying it closes the stream.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual bool alive() const = 0;
};

struct ApplyRequest {
  const MachineConfig* config{nullptr};
  bool dry_run{false};
  /// The node refuses what it cannot do without a reboot. Only for sessions that can ask for it.
  bool no_reboot{false};
};

/// What brings an etcd cluster into being.
struct BootstrapRequest {
  bool recover{false};  // from the snapshot that etcd_recover() uploaded
};

/// A change of etcd that needs no more than its name, and the member that is removed.
struct EtcdChange {
  Call call{Call::etcd_defragment};  // or etcd_leave, etcd_forfeit_leadership, etcd_remove_member
  EtcdMemberId member{};
};

/// One TLS handshake with one node. When its connection breaks the session is dead for good and
/// every call on it is Progress::not_sent: so what was proved about the peer (identity,
/// fingerprint) holds for every later call on the same session. A new connection is a new session
/// and proves itself again.
///
/// Every call obeys the context's deadline and cancellation and never throws.
class TalosSession {
 public:
  virtual ~TalosSession() = default;

  virtual const Peer& peer() const = 0;

  // Reads. On nodes that do not serve one (maintenance mode, older Talos) the error says so.
  virtual Task<CallResult<TalosVersion>> version(Context context) = 0;
  virtual Task<CallResult<MachineStatus>> machine_status(Context context) = 0;
  virtual Task<CallResult<Identity>> identity(Context context) = 0;
  virtual Task<CallResult<std::vector<Disk>>> disks(Context context) = 0;
  virtual Task<CallResult<std::vector<ServiceStatus>>> services(Context context) = 0;
  /// Whether the clock is in sync.
  virtual Task<CallResult<bool>> time_synced(Context context) = 0;
  /// Canonical digest of the active machine config; nullopt if the node has none.
  virtual Task<CallResult<std::optional<Digest>>> config_digest(Context context) = 0;
  /// Whether the etcd data directory holds anything.
  virtual Task<CallResult<bool>> etcd_has_data(Context context) = 0;
  virtual Task<CallResult<std::vector<EtcdMember>>> etcd_members(Context context) = 0;
  virtual Task<CallResult<EtcdStatus>> etcd_status(Context context) = 0;
  virtual Task<CallResult<std::vector<EtcdAlarm>>> etcd_alarms(Context context) = 0;
  /// Streams a snapshot of the node's own member. What came before an error is of no use.
  virtual Task<CallResult<void>> etcd_snapshot(Context context, ByteSink& sink) = 0;
  /// The active machine config; nullopt if the node has none.
  virtual Task<CallResult<std::optional<SecretString>>> machine_config(Context context) = 0;
  virtual Task<CallResult<SecretString>> kubeconfig(Context context) = 0;

  /// What cannot be asked (maintenance mode of an older Talos, a container) is empty in the answer.
  virtual Task<CallResult<Hardware>> hardware(Context context) = 0;
  virtual Task<CallResult<UpgradeView>> upgrade_state(Context context) = 0;
  /// The last lines of the kernel log and the last events, oldest first, fit for a terminal.
  virtual Task<CallResult<std::vector<std::string>>> dmesg(Context context, int lines) = 0;
  virtual Task<CallResult<std::vector<std::string>>> events(Context context, int count) = 0;

  /// A merged stream over machine status, services, etcd membership, node readiness and static
  /// pods. At most one is open at a time; it must be destroyed before ApplyConfiguration in
  /// maintenance mode, which it would delay by 5 s. `changed` must outlive the watch.
  virtual Task<CallResult<std::unique_ptr<Watch>>> watch(Context context, Bell& changed) = 0;

  // Mutations: called from engine/act.cc only, after the intent is durable.
  virtual Task<Outcome> apply_configuration(Context context, ApplyRequest request) = 0;
  virtual Task<Outcome> bootstrap(Context context, BootstrapRequest request) = 0;
  /// Answered before anything is wiped: that it happened is observed, not reported.
  virtual Task<Outcome> reset(Context context, ResetRequest request) = 0;
  virtual Task<Outcome> change_etcd(Context context, EtcdChange change) = 0;
  /// Uploads a snapshot, which a bootstrap with `recover` restores. Sent again, it replaces the
  /// earlier one.
  virtual Task<Outcome> etcd_recover(Context context, const ByteSource& snapshot) = 0;
  /// Done when the node has the image.
  virtual Task<Outcome> pull_image(Context context, UpgradeRequest request) = 0;
  /// Through the LifecycleService it is done when the image is installed, and nothing has rebooted.
  /// Else it is answered before anything is installed: that it happened is observed.
  virtual Task<Outcome> upgrade(Context context, UpgradeRequest request) = 0;
  /// Answered before the node goes down.
  virtual Task<Outcome> reboot(Context context) = 0;
};

/// Opens sessions. Bodies: talos/ (gRPC), sim/ (in process), engine/dry_run.h (records mutations).
class TalosApi {
 public:
  virtual ~TalosApi() = default;
  virtual Task<CallResult<std::unique_ptr<TalosSession>>> open(Context context, IpAddress address,
                                                               PeerDemand demand) = 0;
};

}  // namespace ichor
