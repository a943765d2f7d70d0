#include <algorithm>

#include "etcd/snapshot.h"
#include "sim/node/etcd_database.h"
#include "sim/node/node_impl.h"

// What administrators ask of etcd through Talos: api.cc has what is asked while a cluster comes up.

namespace ichor::sim {

namespace {

constexpr std::string_view kMachine = "machine.MachineService";

tl::unexpected<Refusal> refuse(Code code, std::string text) {
  return tl::unexpected(Refusal{code, std::move(text)});
}

}  // namespace

Answer<EtcdCluster*> Node::Impl::local_etcd(const Caller& caller, std::string_view method,
                                            std::string_view what) const {
  if (auto gate = admit(caller, kMachine, method, Need::admin); !gate) {
    return forward_error(gate);
  }
  if (auto gate = only_on_control_planes(what); !gate) return forward_error(gate);
  EtcdCluster* cluster = own_cluster();
  if (etcd_running() && cluster != nullptr && own_member() != nullptr) return cluster;
  return refuse(Code::unavailable,
                "failed to create etcd client: rpc error: code = Unavailable desc = connection "
                "error: desc = \"transport: Error while dialing: dial tcp 127.0.0.1:2379: connect: "
                "connection refused\"");
}

Answer<void> Node::etcd_defragment(const Caller& caller) {
  const auto cluster = impl_->local_etcd(caller, "EtcdDefragment", "etcd defragment");
  if (!cluster) return forward_error(cluster);
  const Impl::Entry entry(*impl_);
  EtcdCluster::Member& member = *(*cluster)->find(impl_->disk_.etcd_member);
  member.db_bytes = kEtcdBytesInUse;
  impl_->note_change();
  return {};
}

Answer<void> Node::etcd_leave(const Caller& caller) {
  const auto cluster = impl_->local_etcd(caller, "EtcdLeaveCluster", "etcd leave");
  if (!cluster) return forward_error(cluster);
  if ((*cluster)->members.size() == 1) {
    return refuse(Code::unknown, "failed to leave cluster: only one member in the cluster");
  }
  if (!(*cluster)->has_quorum()) {
    return refuse(Code::unknown, "failed to leave cluster: etcdserver: no leader");
  }
  const Impl::Entry entry(*impl_);
  // Talos stops etcd and empties its data directory.
  impl_->leave_etcd();
  NodeDisk& disk = impl_->change_disk();
  disk.etcd_cluster.reset();
  disk.etcd_member = EtcdMemberId();
  impl_->fabric_.changed();
  return {};
}

Answer<std::optional<NodeName>> Node::etcd_forfeit_leadership(const Caller& caller) {
  const auto found = impl_->local_etcd(caller, "EtcdForfeitLeadership", "etcd forfeit leadership");
  if (!found) return forward_error(found);
  EtcdCluster& cluster = **found;
  const EtcdMemberId self = impl_->disk_.etcd_member;
  if (cluster.members.size() == 1) {
    return refuse(Code::unknown,
                  "failed to forfeit leadership: cannot forfeit leadership, only one member");
  }
  if (cluster.leader() != self) return std::optional<NodeName>();
  const auto next = std::ranges::find_if(cluster.members, [&](const EtcdCluster::Member& member) {
    return member.id != self && !member.learner && member.up;
  });
  if (next == cluster.members.end()) {
    return refuse(Code::unknown, "failed to forfeit leadership: etcdserver: request timed out");
  }
  const Impl::Entry entry(*impl_);
  cluster.elected = next->id;
  ++cluster.revision;
  std::optional<NodeName> name = next->name;
  impl_->fabric_.changed();
  return name;
}

Answer<std::string> Node::etcd_snapshot(const Caller& caller) const {
  const auto cluster = impl_->local_etcd(caller, "EtcdSnapshot", "etcd snapshot");
  if (!cluster) return forward_error(cluster);
  return sim::etcd_snapshot(**cluster);
}

Answer<void> Node::etcd_recover(const Caller& caller, std::string snapshot) {
  if (auto gate = impl_->admit(caller, kMachine, "EtcdRecover", Need::admin); !gate) return gate;
  // The volume that the snapshot is kept on comes with the boot sequence.
  if (!impl_->m_.cri_up) {
    return refuse(Code::failed_precondition, "etcd service is not ready for recovery yet");
  }
  if (auto gate = impl_->only_on_control_planes("etcd recover"); !gate) return gate;
  const Impl::Entry entry(*impl_);
  impl_->change_disk().recovery_snapshot = std::move(snapshot);
  return {};
}

}  // namespace ichor::sim
