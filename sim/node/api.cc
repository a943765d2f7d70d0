#include <algorithm>

#include "sim/node/node_impl.h"

namespace ichor::sim {

namespace {

constexpr std::string_view kMachine = "machine.MachineService";
constexpr std::string_view kStorage = "storage.StorageService";
constexpr std::string_view kState = "cosi.resource.State";
constexpr std::uint64_t kRaftTerm = 2;

tl::unexpected<Refusal> refuse(Code code, std::string text) {
  return tl::unexpected(Refusal{code, std::move(text)});
}

tl::unexpected<Refusal> not_authorized() {
  return refuse(Code::permission_denied, "not authorized");
}

/// 1.12 serves a handful of methods in maintenance mode; the rest of the service is a stub.
Answer<void> admit_old_maintenance(std::string_view service, std::string_view method) {
  if (service == kState) return {};
  if (service == kStorage && (method == "Disks" || method == "BlockDeviceWipe")) return {};
  if (service != kMachine && service != kStorage) {
    return refuse(Code::unimplemented, "unknown service " + std::string(service));
  }
  if (method == "ApplyConfiguration" || method == "GenerateConfiguration") return {};
  if (method == "GenerateClientConfiguration") {
    return refuse(Code::unimplemented,
                  "client configuration (talosconfig) can't be generated in the maintenance mode");
  }
  for (const std::string_view stub : {"Version", "Upgrade", "Reset", "MetaWrite", "MetaDelete"}) {
    if (method == stub) {
      return refuse(Code::unimplemented, "API is not implemented in maintenance mode");
    }
  }
  return refuse(Code::unimplemented, "method " + std::string(method) + " not implemented");
}

/// 1.13 serves everything a reader may call, and two methods more.
Answer<void> admit_new_maintenance(std::string_view method, Need need) {
  if (need == Need::reader) return {};
  if (method == "ApplyConfiguration" || method == "BlockDeviceWipe") return {};
  return not_authorized();
}

tl::unexpected<Refusal> no_etcd_here(std::string_view what) {
  return refuse(
      Code::unavailable,
      std::string(what) +
          "rpc error: code = Unavailable desc = connection error: desc = \"transport: Error "
          "while dialing: dial tcp 127.0.0.1:2379: connect: connection refused\"");
}

std::string alarm_text(const EtcdAlarm& alarm) {
  return "memberID:" + std::to_string(alarm.member.value()) +
         (alarm.kind == EtcdAlarmKind::no_space ? " alarm:NOSPACE " : " alarm:CORRUPT ");
}

}  // namespace

Answer<void> Node::Impl::admit(const Caller& caller, std::string_view service,
                               std::string_view method, Need need) const {
  if (frozen_) return refuse(Code::deadline_exceeded, "context deadline exceeded");
  switch (listener()) {
    case Listener::silent:
      return refuse(Code::unavailable,
                    "connection error: desc = \"transport: Error while dialing: dial tcp " +
                        spec_.dhcp_address.value() + ":50000: i/o timeout\"");
    case Listener::refused:
      return refuse(Code::unavailable,
                    "connection error: desc = \"transport: Error while dialing: dial tcp " +
                        address().value() + ":50000: connect: connection refused\"");
    case Listener::maintenance:
      return old() ? admit_old_maintenance(service, method) : admit_new_maintenance(method, need);
    case Listener::apid: break;
  }
  if (caller.anonymous) {
    return refuse(Code::unavailable,
                  "connection error: desc = \"error reading server preface: remote error: tls: "
                  "certificate required\"");
  }
  const bool enough = caller.admin || (need == Need::reader && caller.reader);
  if (!enough) return not_authorized();
  return {};
}

Answer<void> Node::Impl::only_on_control_planes(std::string_view what) const {
  if (control_plane()) return {};
  return refuse(Code::unimplemented,
                std::string(what) + " is only available on control plane nodes");
}

std::vector<Disk> Node::Impl::disk_list() const {
  if (container()) return {};
  std::vector<Disk> disks = spec_.disks;
  for (Disk& disk : disks) {
    disk.has_volumes = has_volumes(disk);
    disk.system_disk = disk_.installed && disk.dev_path == disk_.install_disk;
    disk.etcd_volume = disk.system_disk && disk_.etcd_volume;
    disk.read_only = disk.read_only || (disk.system_disk && disk_dead_);
  }
  return disks;
}

Answer<TalosVersion> Node::version(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kMachine, "Version", Need::reader); !gate) {
    return forward_error(gate);
  }
  return version_of(impl_->spec_);
}

Answer<TalosVersion> Node::version_resource(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kState, "Get", Need::reader); !gate) {
    return forward_error(gate);
  }
  return version_of(impl_->spec_);
}

Answer<MachineStatus> Node::machine_status(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kState, "Get", Need::reader); !gate) {
    return forward_error(gate);
  }
  MachineStatus status = render(impl_->brief(), impl_->hostname());
  if (status.stage == Stage::booting) status.install = impl_->unattended_install();
  return status;
}

Answer<Identity> Node::identity(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kState, "List", Need::reader); !gate) {
    return forward_error(gate);
  }
  Identity identity = impl_->spec_.hardware;
  if (impl_->container()) {
    identity.uuid = {};
    identity.serial = {};
  }
  // The boot id is a file, and only an administrator may read files.
  const bool may_read = caller.admin && impl_->listener() == Listener::apid;
  identity.boot_id = may_read ? impl_->boot_id() : BootId();
  identity.since = impl_->boot_id().value();  // stands for the time at which COSI began
  return identity;
}

Answer<std::vector<Disk>> Node::disks(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kState, "List", Need::reader); !gate) {
    return forward_error(gate);
  }
  return impl_->disk_list();
}

Answer<std::vector<ServiceStatus>> Node::services(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kMachine, "ServiceList", Need::reader); !gate) {
    return forward_error(gate);
  }
  return impl_->service_list();
}

Answer<bool> Node::time_synced(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kState, "Get", Need::reader); !gate) {
    return forward_error(gate);
  }
  return impl_->m_.time_synced;
}

Answer<Hardware> Node::hardware(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kState, "Get", Need::reader); !gate) {
    return forward_error(gate);
  }
  const NodeSpec& spec = impl_->spec_;
  Hardware hardware;
  hardware.container = impl_->container();
  const bool calls_served = impl_->admit(caller, kMachine, "Memory", Need::reader).has_value();
  if (calls_served) hardware.arch = "amd64";
  // What is not asked of the kernel comes from SMBIOS, and a container has none.
  if (calls_served || !hardware.container) hardware.memory_bytes = spec.memory_bytes;
  if (!hardware.container) hardware.secure_boot = spec.secure_boot;
  for (const Disk& disk : impl_->disk_list()) {
    constexpr std::uint64_t kOtherPartitions = 3ull << 30;
    if (!disk.system_disk || disk.size_bytes <= kOtherPartitions) continue;
    hardware.ephemeral_bytes = disk.size_bytes - kOtherPartitions;
  }
  return hardware;
}

Answer<std::optional<std::string>> Node::machine_config(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kState, "Get", Need::reader); !gate) {
    return forward_error(gate);
  }
  // Machine configs are sensitive: whoever may read resources may not read this one.
  if (impl_->listener() == Listener::maintenance || !caller.admin) return not_authorized();
  return std::optional(impl_->m_.config);
}

Answer<bool> Node::etcd_has_data(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kMachine, "List", Need::reader); !gate) {
    return forward_error(gate);
  }
  // Before the boot sequence the volume is not mounted, and its path is empty.
  return impl_->m_.boot_sequence && impl_->disk_.etcd_cluster.has_value();
}

Answer<std::vector<EtcdMember>> Node::etcd_members(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kMachine, "EtcdMemberList", Need::reader); !gate) {
    return forward_error(gate);
  }
  if (auto gate = impl_->only_on_control_planes("member list"); !gate) {
    return forward_error(gate);
  }
  const EtcdCluster* cluster = impl_->cluster_in_reach();
  if (cluster == nullptr) {
    return refuse(Code::unknown, "no controlplane endpoints discovered yet");
  }
  if (!cluster->has_quorum()) return refuse(Code::unknown, "etcdserver: no leader");
  std::vector<EtcdMember> members;
  members.reserve(cluster->members.size());
  for (const EtcdCluster::Member& member : cluster->members) {
    members.push_back({member.id, member.name.value(), member.learner});
  }
  return members;
}

Answer<EtcdStatus> Node::etcd_status(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kMachine, "EtcdStatus", Need::reader); !gate) {
    return forward_error(gate);
  }
  if (auto gate = impl_->only_on_control_planes("etcd status"); !gate) {
    return forward_error(gate);
  }
  const EtcdCluster* cluster = impl_->own_cluster();
  const EtcdCluster::Member* member = impl_->own_member();
  if (!impl_->etcd_running() || member == nullptr) {
    return no_etcd_here("failed to query etcd status: ");
  }
  EtcdStatus status;
  status.member = member->id;
  status.leader = cluster->leader();
  status.raft_index = cluster->raft_index;
  status.raft_applied_index = cluster->raft_index - (member->learner ? 1u : 0u);
  status.is_learner = member->learner;
  status.raft_term = kRaftTerm;
  status.db_bytes = member->db_bytes;
  status.db_bytes_in_use = kEtcdBytesInUse;
  status.version = "3.6.8";
  status.storage_version = "3.6.0";
  for (const EtcdAlarm& alarm : cluster->alarms) status.errors.push_back(alarm_text(alarm));
  if (status.leader == EtcdMemberId()) status.errors.push_back("etcdserver: no leader");
  return status;
}

Answer<std::vector<EtcdAlarm>> Node::etcd_alarms(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kMachine, "EtcdAlarmList", Need::reader); !gate) {
    return forward_error(gate);
  }
  if (auto gate = impl_->only_on_control_planes("etcd alarm list"); !gate) {
    return forward_error(gate);
  }
  const EtcdCluster* cluster = impl_->own_cluster();
  if (!impl_->etcd_running() || cluster == nullptr) {
    return no_etcd_here("failed to list etcd alarms: ");
  }
  if (!cluster->has_quorum()) {
    return refuse(Code::unknown, "failed to list etcd alarms: etcdserver: request timed out");
  }
  return cluster->alarms;
}

Answer<std::string> Node::kubeconfig(const Caller& caller) const {
  if (auto gate = impl_->admit(caller, kMachine, "Kubeconfig", Need::admin); !gate) {
    return forward_error(gate);
  }
  if (auto gate = impl_->only_on_control_planes("kubeconfig"); !gate) {
    return forward_error(gate);
  }
  return impl_->m_.facts->endpoint;
}

Answer<void> Node::bootstrap(const Caller& caller, bool recover) {
  if (auto gate = impl_->admit(caller, kMachine, "Bootstrap", Need::admin); !gate) return gate;
  if (!impl_->m_.cri_up) {
    return refuse(Code::failed_precondition, "bootstrap is not available yet");
  }
  if (!impl_->control_plane()) {
    return impl_->old() ? refuse(Code::failed_precondition,
                                 "bootstrap can only be performed on a control plane node")
                        : impl_->only_on_control_planes("bootstrap");
  }
  if (!impl_->m_.time_synced) return refuse(Code::failed_precondition, "time is not in sync yet");
  if (impl_->disk_.etcd_cluster) {
    return refuse(Code::already_exists, "etcd data directory is not empty");
  }
  const Impl::Entry entry(*impl_);
  impl_->request_bootstrap(recover);
  return {};
}

Answer<void> Node::reboot(const Caller& caller) {
  if (auto gate = impl_->admit(caller, kMachine, "Reboot", Need::admin); !gate) return gate;
  if (impl_->container()) {
    return refuse(Code::failed_precondition, "method is not supported in container mode");
  }
  const Impl::Entry entry(*impl_);
  impl_->leave(SequenceName::reboot, true);
  return {};
}

Answer<void> Node::shutdown(const Caller& caller) {
  if (auto gate = impl_->admit(caller, kMachine, "Shutdown", Need::admin); !gate) return gate;
  if (impl_->container()) {
    return refuse(Code::failed_precondition, "method is not supported in container mode");
  }
  const Impl::Entry entry(*impl_);
  impl_->leave(SequenceName::shutdown, false);
  return {};
}

Answer<void> Node::reset(const Caller& caller, const ResetRequest& request) {
  if (auto gate = impl_->admit(caller, kMachine, "Reset", Need::admin); !gate) return gate;
  const Impl::Entry entry(*impl_);
  impl_->leave(SequenceName::reset, request.reboot && !impl_->container(), request);
  return {};
}

Answer<void> Node::restart_service(const Caller& caller, const std::string& id) {
  if (auto gate = impl_->admit(caller, kMachine, "ServiceRestart", Need::admin); !gate) return gate;
  const std::vector<ServiceStatus> services = impl_->service_list();
  const bool known = std::any_of(services.begin(), services.end(),
                                 [&](const ServiceStatus& service) { return service.id == id; });
  if (!known) return refuse(Code::unknown, "service \"" + id + "\" not defined");
  if (id == "kubelet") return {};
  return refuse(Code::unknown, "service \"" + id + "\" doesn't support restart operation via API");
}

Answer<void> Node::etcd_remove_member(const Caller& caller, EtcdMemberId member) {
  if (auto gate = impl_->admit(caller, kMachine, "EtcdRemoveMemberByID", Need::admin); !gate) {
    return gate;
  }
  if (auto gate = impl_->only_on_control_planes("etcd remove member"); !gate) return gate;
  EtcdCluster* cluster = impl_->cluster_in_reach();
  if (cluster == nullptr) {
    return refuse(Code::unknown,
                  "failed to create etcd client: no controlplane endpoints discovered yet");
  }
  const std::string failed = "failed to remove member " + std::to_string(member.value()) + ": ";
  if (!cluster->has_quorum()) {
    return refuse(Code::unknown, "failed to remove member: " + failed + "etcdserver: no leader");
  }
  const Impl::Entry entry(*impl_);
  if (!cluster->remove(member)) {
    return refuse(Code::not_found, failed + "etcdserver: member not found");
  }
  impl_->fabric_.changed();
  return {};
}

}  // namespace ichor::sim
