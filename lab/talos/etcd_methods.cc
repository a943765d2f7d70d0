#include "lab/rpc/wire.h"
#include "lab/talos/methods.h"
#include "machine.pb.h"
#include "machine_etcd.pb.h"

namespace ichor::lab {

namespace {

using Kind = Method::Kind;
using sim::EtcdCluster;

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
  out.set_protocol_version(found->version);
  out.set_storage_version(found->storage_version);
  out.set_db_size(static_cast<std::int64_t>(found->db_bytes));
  out.set_db_size_in_use(static_cast<std::int64_t>(found->db_bytes_in_use));
  out.set_leader(found->leader.value());
  out.set_raft_index(found->raft_index);
  out.set_raft_applied_index(found->raft_applied_index);
  out.set_raft_term(found->raft_term);
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
  reply_to<machine::EtcdDefragmentResponse>(exchange,
                                            exchange.node().etcd_defragment(exchange.caller()));
}

void remove_member(Exchange& exchange, const machine::EtcdRemoveMemberByIDRequest& request) {
  reply_to<machine::EtcdRemoveMemberByIDResponse>(
      exchange,
      exchange.node().etcd_remove_member(exchange.caller(), EtcdMemberId(request.member_id())));
}

void leave(Exchange& exchange) {
  reply_to<machine::EtcdLeaveClusterResponse>(exchange,
                                              exchange.node().etcd_leave(exchange.caller()));
}

void forfeit_leadership(Exchange& exchange) {
  const auto next = exchange.node().etcd_forfeit_leadership(exchange.caller());
  if (!next) {
    exchange.refuse(next.error());
    return;
  }
  machine::EtcdForfeitLeadershipResponse response;
  machine::EtcdForfeitLeadership& item = *response.add_messages();
  if (*next) item.set_member((*next)->value());
  exchange.reply(response);
}

void snapshot(Exchange& exchange) {
  const auto bytes = exchange.node().etcd_snapshot(exchange.caller());
  if (!bytes) {
    exchange.refuse(bytes.error());
    return;
  }
  // Talos sends a KiB at a time.
  constexpr std::size_t chunk = 1024;
  for (std::size_t at = 0; at < bytes->size(); at += chunk) {
    common::Data data;
    data.set_bytes(bytes->substr(at, chunk));
    exchange.send(data);
  }
  exchange.done();
}

/// What a client uploads is all its messages, one behind the other.
void recover(Exchange& exchange) {
  std::string snapshot;
  constexpr std::uint32_t bytes_field = 2;  // of common.Data
  if (!join_bytes(exchange.request(), bytes_field, snapshot)) {
    exchange.refuse_request();
    return;
  }
  reply_to<machine::EtcdRecoverResponse>(
      exchange, exchange.node().etcd_recover(exchange.caller(), std::move(snapshot)));
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
