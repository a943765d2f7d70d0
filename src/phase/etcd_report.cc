#include "phase/etcd_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "model/etcd_advice.h"
#include "phase/etcd_groups.h"
#include "phase/etcd_health.h"
#include "wait/retry_table.h"

namespace ichor {

namespace {

/// etcd's own limit for its database, which Talos leaves as it is. Beyond it nothing is written.
constexpr std::uint64_t kQuotaBytes = 2ull << 30;
/// From there on a defragmentation is worth the seconds in which the member does not answer.
constexpr std::uint64_t kFragmentedBytes = 100ull << 20;

Finding finding(Severity severity, std::string id, const NodeName& node, std::string what,
                std::string fix) {
  return {severity, std::move(id), node, "etcd", std::move(what), std::move(fix)};
}

std::string hex(EtcdMemberId id) { return fmt::format("{:016x}", id.value()); }

std::uint64_t newest_index(const ClusterView& view) {
  std::uint64_t newest = 0;
  for (const NodeView& node : view.nodes) {
    if (node.etcd.status) newest = std::max(newest, node.etcd.status->raft_applied_index);
  }
  return newest;
}

void report_presence(const NodeView& node, std::vector<Finding>& found) {
  if (node.presence == Presence::configured && node.etcd.status) return;
  const std::string& name = node.node.value();
  if (node.trouble) {
    const RetryRule rule = rule_for(*node.trouble);
    found.push_back(finding(Severity::error, std::string(rule.fault), node.node,
                            fmt::format("{}: {}", name, to_text(*node.trouble)),
                            std::string(rule.hint)));
    return;
  }
  found.push_back(finding(Severity::error, "E6", node.node,
                          fmt::format("{} is {} and shows no etcd", name, name_of(node.presence)),
                          "run `ichor up`: it brings the control plane back"));
}

void report_member(const NodeView& node, std::uint64_t newest, std::vector<Finding>& found) {
  if (!node.etcd.status) return;
  const EtcdStatus& status = *node.etcd.status;
  const std::string& name = node.node.value();
  if (status.leader == EtcdMemberId{}) {
    found.push_back(finding(Severity::error, "E8", node.node,
                            fmt::format("{} sees no leader: etcd has lost its quorum", name),
                            "bring the missing control planes back"));
  }
  if (status.is_learner) {
    found.push_back(finding(Severity::warning, "E7", node.node,
                            fmt::format("{} is still a learner: {} of {} entries", name,
                                        status.raft_applied_index, newest),
                            "wait: its node promotes it within ten minutes"));
  } else if (newest - status.raft_applied_index > kIndexLag) {
    found.push_back(finding(Severity::warning, "E9", node.node,
                            fmt::format("etcd on {} is behind: {} of {} entries applied", name,
                                        status.raft_applied_index, newest),
                            "its disk may be slow: compare `talosctl etcd status` again"));
  }
  const bool full = status.db_bytes > kQuotaBytes / 10 * 8;
  const bool fragmented =
      status.db_bytes > kFragmentedBytes && status.db_bytes_in_use * 2 < status.db_bytes;
  if (!full && !fragmented) return;
  found.push_back(
      finding(full ? Severity::warning : Severity::note, "E9", node.node,
              fmt::format("the database of etcd on {} has {} MiB, of which {} MiB are in use{}",
                          name, status.db_bytes >> 20, status.db_bytes_in_use >> 20,
                          full ? "; at 2048 MiB etcd takes no more writes" : ""),
              "`ichor etcd defrag` frees the rest"));
}

/// Everybody's list against the first one; equal ids in another order are equal.
void report_disagreement(const ClusterView& view, std::vector<Finding>& found) {
  const auto ids = [](const NodeView& node) {
    std::set<std::pair<std::uint64_t, bool>> set;
    for (const EtcdMember& member : *node.etcd.members) {
      set.emplace(member.id.value(), member.is_learner);
    }
    return set;
  };
  const NodeView* first = nullptr;
  std::map<EtcdMemberId, std::string> leaders;
  for (const NodeView& node : view.nodes) {
    if (node.etcd.status && node.etcd.status->leader != EtcdMemberId{}) {
      std::string& names = leaders[node.etcd.status->leader];
      names += (names.empty() ? "" : ", ") + node.node.value();
    }
    if (!node.etcd.members) continue;
    if (!first) first = &node;
    if (ids(node) == ids(*first)) continue;
    found.push_back(finding(
        Severity::error, "E6", node.node,
        fmt::format("{} and {} list different members", first->node.value(), node.node.value()),
        "look again in a minute: a change of members may be under way"));
  }
  if (leaders.size() < 2) return;
  std::string text;
  for (const auto& [leader, names] : leaders) {
    text += fmt::format("{}{} on {}", text.empty() ? "" : "; ", hex(leader), names);
  }
  found.push_back(finding(Severity::error, "E8", {}, "the members see different leaders: " + text,
                          "look again in a minute: an election may be under way"));
}

void report_members(const ClusterProfile& profile, const ClusterView& view,
                    std::vector<Finding>& found) {
  const std::vector<EtcdGroup> groups = etcd_groups(view);
  if (groups.size() > 1) {
    found.push_back(finding(
        Severity::error, "E4", {},
        fmt::format("two etcd clusters: [{}] and [{}]", to_text(groups[0]), to_text(groups[1])),
        "keep the one that has your data, and `ichor reset` the control planes "
        "of the other"));
    return;
  }
  if (groups.empty()) return;
  const std::vector<EtcdMember>& members = groups[0].members;
  for (const EtcdMember& unknown : unknown_members(profile, members)) {
    found.push_back(finding(
        Severity::error, "E5", {},
        fmt::format("member {} ({}) is not a control plane of this profile", hex(unknown.id),
                    unknown.hostname.empty() ? "without a name" : unknown.hostname),
        unknown_member_advice(profile, members, unknown)));
  }
  for (const NodePlan& plan : profile.nodes) {
    if (plan.role != Role::control_plane) continue;
    const bool listed = std::any_of(members.begin(), members.end(), [&](const EtcdMember& member) {
      return member.hostname == plan.name.value();
    });
    if (listed) continue;
    found.push_back(finding(Severity::error, "E6", plan.name,
                            fmt::format("{} is not a member of etcd", plan.name.value()),
                            "run `ichor up`: it brings the control plane back"));
  }
}

void report_alarms(const ClusterProfile& profile, const ClusterView& view,
                   std::vector<Finding>& found) {
  std::set<std::string> told;
  for (const NodeView& node : view.nodes) {
    for (const RaisedAlarm& raised : raised_alarms(node.etcd)) {
      if (!told.insert(to_text(raised)).second) continue;
      const bool planned = profile.find(NodeName(raised.hostname)) != nullptr;
      found.push_back(
          finding(Severity::error, "E9", planned ? NodeName(raised.hostname) : NodeName(),
                  "etcd alarm " + to_text(raised), alarm_advice(profile, node.etcd, raised)));
    }
  }
}

}  // namespace

std::vector<Finding> etcd_findings(const ClusterProfile& profile, const ClusterView& view) {
  std::vector<Finding> found;
  const std::uint64_t newest = newest_index(view);
  for (const NodeView& node : view.nodes) {
    report_presence(node, found);
    report_member(node, newest, found);
  }
  report_members(profile, view, found);
  report_disagreement(view, found);
  report_alarms(profile, view, found);
  return found;
}

bool is_corrupt_member(const NodeView& node) {
  if (!node.etcd.status) return false;
  const std::vector<RaisedAlarm> alarms = raised_alarms(node.etcd);
  return std::any_of(alarms.begin(), alarms.end(), [&](const RaisedAlarm& raised) {
    return raised.alarm.kind == EtcdAlarmKind::corrupt &&
           raised.alarm.member == node.etcd.status->member;
  });
}

const NodeView* snapshot_source(const ClusterView& view) {
  const std::uint64_t newest = newest_index(view);
  const NodeView* best = nullptr;
  for (const NodeView& node : view.nodes) {
    if (node.presence != Presence::configured || !node.etcd.status) continue;
    const EtcdStatus& status = *node.etcd.status;
    const bool sound = !status.is_learner && !is_corrupt_member(node) &&
                       newest - status.raft_applied_index <= kIndexLag;
    if (!sound) continue;
    const bool leads = status.leader == status.member;
    if (!best || (best->etcd.status->leader == best->etcd.status->member && !leads)) best = &node;
  }
  return best;
}

}  // namespace ichor
