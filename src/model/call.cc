#include "model/call.h"

#include <fmt/format.h>

#include "model/provider_call.h"

namespace ichor {

std::string_view name_of(Call call) {
  if (call == kCreateVm) return "VM creation";
  if (call == kStartVm) return "VM start";
  if (call == kStopVm) return "VM stop";
  if (call == kDestroyVm) return "VM removal";
  switch (call) {
    case Call::open: return "connect";
    case Call::version: return "Version";
    case Call::machine_status: return "MachineStatus";
    case Call::identity: return "identity";
    case Call::disks: return "Disks";
    case Call::services: return "ServiceList";
    case Call::time_status: return "TimeStatus";
    case Call::config_digest: return "MachineConfig";
    case Call::etcd_data: return "etcd data directory";
    case Call::etcd_members: return "EtcdMemberList";
    case Call::etcd_status: return "EtcdStatus";
    case Call::etcd_alarms: return "EtcdAlarmList";
    case Call::etcd_snapshot: return "EtcdSnapshot";
    case Call::machine_config: return "machine config";
    case Call::kubeconfig: return "Kubeconfig";
    case Call::hardware: return "hardware";
    case Call::upgrade_state: return "upgrade state";
    case Call::dmesg: return "Dmesg";
    case Call::events: return "Events";
    case Call::watch: return "Watch";
    case Call::kube_ready: return "/readyz";
    case Call::kube_read: return "Kubernetes read";
    case Call::apply_configuration: return "ApplyConfiguration";
    case Call::bootstrap: return "Bootstrap";
    case Call::reset: return "Reset";
    case Call::etcd_defragment: return "EtcdDefragment";
    case Call::etcd_leave: return "EtcdLeaveCluster";
    case Call::etcd_forfeit_leadership: return "EtcdForfeitLeadership";
    case Call::etcd_remove_member: return "EtcdRemoveMemberByID";
    case Call::etcd_recover: return "EtcdRecover";
    case Call::pull_image: return "ImagePull";
    case Call::upgrade: return "Upgrade";
    case Call::reboot: return "Reboot";
    case Call::cordon: return "cordon";
    case Call::evict: return "eviction";
    case Call::uncordon: return "uncordon";
    case Call::update_proxy: return "kube-proxy update";
    case Call::kube_apply: return "server-side apply";
    case Call::kube_delete: return "Kubernetes delete";
    case Call::approve_csr: return "CSR approval";
    case Call::install_release: return "Helm release";
  }
  return "?";
}

std::string_view name_of(Code code) {
  switch (code) {
    case Code::ok: return "OK";
    case Code::cancelled: return "Canceled";
    case Code::unknown: return "Unknown";
    case Code::invalid_argument: return "InvalidArgument";
    case Code::deadline_exceeded: return "DeadlineExceeded";
    case Code::not_found: return "NotFound";
    case Code::already_exists: return "AlreadyExists";
    case Code::permission_denied: return "PermissionDenied";
    case Code::resource_exhausted: return "ResourceExhausted";
    case Code::failed_precondition: return "FailedPrecondition";
    case Code::aborted: return "Aborted";
    case Code::out_of_range: return "OutOfRange";
    case Code::unimplemented: return "Unimplemented";
    case Code::internal: return "Internal";
    case Code::unavailable: return "Unavailable";
    case Code::data_loss: return "DataLoss";
    case Code::unauthenticated: return "Unauthenticated";
  }
  return "Unknown";
}

std::string_view name_of(TlsVerdict verdict) {
  switch (verdict) {
    case TlsVerdict::fine: return "fine";
    case TlsVerdict::foreign_ca: return "foreign CA";
    case TlsVerdict::client_rejected: return "client certificate rejected";
    case TlsVerdict::wants_client: return "client certificate required";
    case TlsVerdict::wrong_pin: return "wrong fingerprint";
    case TlsVerdict::changed_key: return "changed key";
    case TlsVerdict::expired: return "certificate expired or not yet valid";
  }
  return "?";
}

std::string to_text(const CallError& error) {
  if (error.tls != TlsVerdict::fine) {
    return fmt::format("{}: {} ({})", name_of(error.call), name_of(error.tls), error.text);
  }
  // No server was reached, so the code is our own and tells nothing that the text does not.
  if (error.call == Call::open && error.progress == Progress::not_sent) return error.text;
  return fmt::format("{}: {}: {}", name_of(error.call), name_of(error.code), error.text);
}

}  // namespace ichor
