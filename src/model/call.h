#pragma once

#include <string>
#include <string_view>

#include "base/fault_id.h"
#include "base/result.h"
#include "model/ids.h"

namespace ichor {

/// Everything ichor asks of a node or of the Kubernetes API. `open` is the connection itself.
enum class Call {
  open,
  version,
  machine_status,
  identity,
  disks,
  services,
  time_status,
  config_digest,
  etcd_data,
  etcd_members,
  etcd_status,
  etcd_alarms,
  etcd_snapshot,
  machine_config,
  kubeconfig,
  hardware,
  upgrade_state,
  dmesg,
  events,
  watch,
  kube_ready,
  kube_read,
  apply_configuration,
  bootstrap,
  reset,
  etcd_defragment,
  etcd_leave,
  etcd_forfeit_leadership,
  etcd_remove_member,
  etcd_recover,
  pull_image,
  upgrade,
  reboot,
  cordon,
  evict,
  uncordon,
  update_proxy,
  kube_apply,
  kube_delete,
  approve_csr,
  install_release,
};
inline constexpr int kCallCount = static_cast<int>(Call::install_release) + 1;

/// As in Talos' API where it has one name for it ("ApplyConfiguration"), else ours.
std::string_view name_of(Call call);

/// Whether the call changes a node or a cluster.
constexpr bool mutates(Call call) { return call >= Call::apply_configuration; }

/// Whether it is a change of etcd on its own, besides its bootstrap.
constexpr bool changes_etcd(Call call) {
  return call >= Call::etcd_defragment && call <= Call::etcd_remove_member;
}

/// gRPC's numbers.
enum class Code {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

/// As Go prints it ("FailedPrecondition").
std::string_view name_of(Code code);

/// How far a failed call came. Decides whether it may have happened.
enum class Progress {
  not_sent,  // no connection, or the handshake failed: not a byte of the request left
  sent,      // the request left and no answer came: it may have happened
  answered,  // the node itself said no
};

/// The verdict of the handshake, from the probe and not from a status text.
enum class TlsVerdict {
  fine,             // or not reached
  foreign_ca,       // the server's certificate is not of our cluster's CA
  client_rejected,  // the server does not take our client certificate
  wants_client,     // configured node; we came without a certificate
  wrong_pin,        // maintenance certificate is not the one that was pinned
  changed_key,      // nor the one that was bound, and nothing shows that the machine rebooted
  expired,          // a certificate is expired or not yet valid
};

std::string_view name_of(TlsVerdict verdict);

/// A call that did not succeed: facts only, no judgement. wait/retry_table.h judges.
struct CallError {
  Call call{Call::open};
  Progress progress{Progress::not_sent};
  TlsVerdict tls{TlsVerdict::fine};
  Code code{Code::unknown};
  std::string text;
  Fingerprint shown{};  // with TlsVerdict::wrong_pin: the key that answered
  FaultId fault{};      // where ichor itself, and not the node, found what is wrong
};

/// "Bootstrap: FailedPrecondition: time is not in sync yet".
std::string to_text(const CallError& error);

template <class T>
using CallResult = tl::expected<T, CallError>;

}  // namespace ichor
