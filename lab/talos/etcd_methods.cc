#include "lab/records.h"
#include "lab/talos/methods.h"
#include "machine.pb.h"
#include "machine_etcd.pb.h"
#include "secrets/digest.h"

namespace ichor::lab {

namespace {

using Kind = Method::Kind;
using sim::EtcdCluster;

constexpr int kDatabaseSize = 2'500'000;

bool is_control_plane(Exchange& exchange, const char* what) {
  const auto config = exchange.machine().config();
  if (config && config->control_plane()) return true;
  exchange.end(Code::unimplemented,
               std::string(what) + " is only available on control plane nodes");
  return false;
}

/// The cluster that this node's own etcd runs in; nullptr, and the call refused, without one.
EtcdCluster* own_cluster(Exchange& exchange, const char* what) {
  if (!is_control_plane(exchange, what)) return nullptr;
  const auto status = exchange.node().etcd_status(exchange.caller());
  const auto id = exchange.node().disk().etcd_cluster;
  EtcdCluster* cluster = id ? exchange.site().fabric().find_cluster(*id) : nullptr;
  if (status && cluster != nullptr) return cluster;
  exchange.end(Code::unavailable,
               "failed to create etcd client: rpc error: code = Unavailable desc = connection "
               "error: desc = \"transport: Error while dialing: dial tcp 127.0.0.1:2379: connect: "
               "connection refused\"");
  return nullptr;
}

/// Where a member lives, by its name; a member whose machine is gone keeps none.
std::string address_of(Exchange& exchange, const std::string& hostname) {
  for (const auto& machine : exchange.site().machines()) {
    if (machine->node().hostname().value() != hostname) continue;
    const sim::ConfigFacts* facts = machine->node().facts();
    if (facts != nullptr && !facts->static_address.value().empty()) {
      return facts->static_address.value();
    }
    return machine->node().spec().dhcp_address.value();
  }
  return "";
}

void member_list(Exchange& exchange, const machine::EtcdMemberListRequest& request) {
  if (request.query_local() && own_cluster(exchange, "member list") == nullptr) return;
  const auto members = exchange.node().etcd_members(exchange.caller());
  if (!members) {
    exchange.refuse(members.error());
    return;
  }
  machine::EtcdMemberListResponse response;
  machine::EtcdMembers& item = *response.add_messages();
  for (const EtcdMember& member : *members) {
    item.add_legacy_members(member.hostname);
    machine::EtcdMember& out = *item.add_members();
    out.set_id(member.id.value());
    out.set_hostname(member.hostname);
    if (const std::string address = address_of(exchange, member.hostname); !address.empty()) {
      out.add_peer_urls("https://" + address + ":2380");
      out.add_client_urls("https://" + address + ":2379");
    }
    out.set_is_learner(member.is_learner);
  }
  exchange.reply(response);
}

void status(Exchange& exchange) {
  const auto found = exchange.node().etcd_status(exchange.caller());
  if (!found) {
    exchange.refuse(found.error());
    return;
  }
  machine::EtcdStatusResponse response;
  machine::EtcdMemberStatus& out = *response.add_messages()->mutable_member_status();
  out.set_protocol_version("3.6.8");
  out.set_storage_version("3.6.0");
  out.set_db_size(kDatabaseSize);
  out.set_db_size_in_use(kDatabaseSize / 2);
  out.set_leader(found->leader.value());
  out.set_raft_index(found->raft_index);
  out.set_raft_applied_index(found->raft_applied_index);
  out.set_raft_term(2);
  out.set_is_learner(found->is_learner);
  out.set_member_id(found->member.value());
  for (const std::string& error : found->errors) out.add_errors(error);
  exchange.reply(response);
}

template <class Item>
void add_alarms(Item& item, const std::vector<EtcdAlarm>& alarms) {
  for (const EtcdAlarm& alarm : alarms) {
    machine::EtcdMemberAlarm& out = *item.add_member_alarms();
    out.set_member_id(alarm.member.value());
    out.set_alarm(alarm.kind == EtcdAlarmKind::corrupt ? machine::EtcdMemberAlarm::CORRUPT
                                                       : machine::EtcdMemberAlarm::NOSPACE);
  }
}

void alarm_list(Exchange& exchange) {
  const auto alarms = exchange.node().etcd_alarms(exchange.caller());
  if (!alarms) {
    exchange.refuse(alarms.error());
    return;
  }
  machine::EtcdAlarmListResponse response;
  add_alarms(*response.add_messages(), *alarms);
  exchange.reply(response);
}

void alarm_disarm(Exchange& exchange) {
  EtcdCluster* cluster = own_cluster(exchange, "etcd alarm list");
  if (cluster == nullptr) return;
  machine::EtcdAlarmDisarmResponse response;
  add_alarms(*response.add_messages(), cluster->alarms);
  cluster->alarms.clear();
  ++cluster->revision;
  exchange.site().fabric().changed();
  exchange.reply(response);
}

void defragment(Exchange& exchange) {
  if (own_cluster(exchange, "etcd defragment") == nullptr) return;
  reply_empty<machine::EtcdDefragmentResponse>(exchange);
}

void remove_member(Exchange& exchange, const machine::EtcdRemoveMemberByIDRequest& request) {
  reply_to<machine::EtcdRemoveMemberByIDResponse>(
      exchange,
      exchange.node().etcd_remove_member(exchange.caller(), EtcdMemberId(request.member_id())));
}

void leave(Exchange& exchange) {
  EtcdCluster* cluster = own_cluster(exchange, "etcd leave");
  if (cluster == nullptr) return;
  if (cluster->members.size() == 1) {
    exchange.end(Code::unknown, "failed to leave cluster: only one member in the cluster");
    return;
  }
  cluster->remove(exchange.node().disk().etcd_member);
  exchange.site().fabric().changed();
  reply_empty<machine::EtcdLeaveClusterResponse>(exchange);
}

void forfeit_leadership(Exchange& exchange) {
  EtcdCluster* cluster = own_cluster(exchange, "etcd forfeit leadership");
  if (cluster == nullptr) return;
  if (cluster->members.size() == 1) {
    exchange.end(Code::unknown,
                 "failed to forfeit leadership: cannot forfeit leadership, only one member");
    return;
  }
  machine::EtcdForfeitLeadershipResponse response;
  machine::EtcdForfeitLeadership& item = *response.add_messages();
  const EtcdMemberId self = exchange.node().disk().etcd_member;
  if (cluster->leader() == self) {
    for (const EtcdCluster::Member& member : cluster->members) {
      if (member.id == self || member.learner || !member.up) continue;
      cluster->elected = member.id;
      ++cluster->revision;
      item.set_member(member.name.value());
      break;
    }
    exchange.site().fabric().changed();
  }
  exchange.reply(response);
}

/// Has the form of a snapshot (a database file and its SHA-256), but what is in it is the lab's own
/// record of the cluster and no etcd database.
void snapshot(Exchange& exchange) {
  const EtcdCluster* cluster = own_cluster(exchange, "etcd snapshot");
  if (cluster == nullptr) return;
  std::string database = to_json({cluster});
  constexpr std::size_t page = 4096;
  database.resize((database.size() / page + 1) * page, '\0');
  const Digest digest = pki::sha256(database);
  common::Data data;
  data.set_bytes(database + std::string(digest.bytes.begin(), digest.bytes.end()));
  exchange.reply(data);
}

void recover(Exchange& exchange) {
  exchange.end(Code::failed_precondition, "etcd service is not ready for recovery yet");
}

constexpr Roles kRead = kAor | kEtcdBackup;
constexpr Roles kOperate = kAdmin | kOperator;

}  // namespace

const std::vector<Method>& etcd_methods() {
  static const std::vector<Method> methods = {
      {kMachineService, "EtcdMemberList", kRead, Kind::reads, with<member_list>},
      {kMachineService, "EtcdStatus", kRead, Kind::reads, status},
      {kMachineService, "EtcdAlarmList", kRead, Kind::reads, alarm_list},
      {kMachineService, "EtcdAlarmDisarm", kOperate, Kind::mutates, alarm_disarm},
      {kMachineService, "EtcdDefragment", kOperate, Kind::mutates, defragment},
      {kMachineService, "EtcdRemoveMemberByID", kAdmin, Kind::mutates, with<remove_member>},
      {kMachineService, "EtcdLeaveCluster", kAdmin, Kind::mutates, leave},
      {kMachineService, "EtcdForfeitLeadership", kAdmin, Kind::mutates, forfeit_leadership},
      {kMachineService, "EtcdSnapshot", kOperate | kEtcdBackup, Kind::streams, snapshot},
      {kMachineService, "EtcdRecover", kAdmin, Kind::mutates, recover},
  };
  return methods;
}

}  // namespace ichor::lab
