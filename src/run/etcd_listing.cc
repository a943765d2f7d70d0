#include "run/etcd_listing.h"

#include <fmt/format.h>

#include "model/etcd_advice.h"
#include "phase/etcd_groups.h"

namespace ichor {

namespace {

std::string hex(EtcdMemberId id) { return fmt::format("{:016x}", id.value()); }

std::string role_of(const NodeView& node) {
  if (!node.etcd.status) {
    return node.presence == Presence::configured ? "unknown" : std::string(name_of(node.presence));
  }
  if (node.etcd.status->is_learner) return "learner";
  return node.etcd.status->leader == node.etcd.status->member ? "leader" : "voter";
}

nlohmann::ordered_json number(std::uint64_t value) {
  return value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

std::string megabytes(std::uint64_t bytes) {
  return bytes > 0 ? fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6) : "-";
}

/// The alarms that this member has, or else the errors that its status repeats.
std::string troubles_of(const NodeView& node) {
  if (!node.etcd.status) return node.trouble ? to_text(*node.trouble) : "";
  std::string text;
  for (const RaisedAlarm& raised : raised_alarms(node.etcd)) {
    if (raised.alarm.member != node.etcd.status->member) continue;
    text += (text.empty() ? "" : "; ") + to_text(raised);
  }
  for (const std::string& error : node.etcd.status->errors) {
    if (error.starts_with("memberID:")) continue;  // an alarm, of whichever member
    text += (text.empty() ? "" : "; ") + error;
  }
  return text;
}

nlohmann::ordered_json row_of(const NodeView& node) {
  nlohmann::ordered_json row;
  row["node"] = node.node.value();
  row["role"] = role_of(node);
  const EtcdStatus status = node.etcd.status.value_or(EtcdStatus{});
  row["member"] = node.etcd.status ? hex(status.member) : "";
  row["leader"] = status.leader != EtcdMemberId{} ? hex(status.leader) : "";
  row["raft_term"] = number(status.raft_term);
  row["raft_index"] = number(status.raft_index);
  row["raft_applied_index"] = number(status.raft_applied_index);
  row["db_bytes"] = number(status.db_bytes);
  row["db_bytes_in_use"] = number(status.db_bytes_in_use);
  row["db"] = megabytes(status.db_bytes);
  row["in_use"] = megabytes(status.db_bytes_in_use);
  row["learner"] = status.is_learner;
  row["version"] = status.version;
  row["storage_version"] = status.storage_version;
  row["service"] = node.etcd.service_state;
  row["healthy"] = node.etcd.service_healthy;
  row["address"] = node.address.value();
  row["members"] = nlohmann::ordered_json::array();
  for (const EtcdMember& member : node.etcd.members.value_or(std::vector<EtcdMember>())) {
    row["members"].push_back(
        {{"id", hex(member.id)}, {"name", member.hostname}, {"learner", member.is_learner}});
  }
  row["trouble"] = troubles_of(node);
  return row;
}

nlohmann::ordered_json row_of(const EtcdMember& member) {
  nlohmann::ordered_json row;
  row["node"] = member.hostname;
  row["role"] = "not in the profile";
  row["member"] = hex(member.id);
  row["learner"] = member.is_learner;
  return row;
}

}  // namespace

Listing etcd_listing(const ClusterProfile& profile, const ClusterView& seen) {
  Listing listing{"etcd_member",
                  {{"node", "NODE"},
                   {"role", "ROLE"},
                   {"member", "MEMBER"},
                   {"raft_term", "TERM"},
                   {"raft_applied_index", "APPLIED"},
                   {"raft_index", "INDEX"},
                   {"db", "DB"},
                   {"in_use", "IN USE"},
                   {"version", "ETCD"},
                   {"storage_version", "STORAGE", true},
                   {"leader", "LEADER", true},
                   {"service", "SERVICE", true},
                   {"address", "ADDRESS", true},
                   {"trouble", "TROUBLE"}},
                  {}};
  for (const NodeView& node : seen.nodes) listing.rows.push_back(row_of(node));
  for (const EtcdGroup& group : etcd_groups(seen)) {
    for (const EtcdMember& member : unknown_members(profile, group.members)) {
      listing.rows.push_back(row_of(member));
    }
  }
  return listing;
}

}  // namespace ichor
