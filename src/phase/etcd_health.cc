#include "phase/etcd_health.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "model/etcd_advice.h"
#include "phase/dead_disk.h"
#include "phase/etcd_groups.h"

namespace ichor {

namespace {

/// How far the others are, for a learner's progress and a voter's lag.
std::uint64_t newest_index(const ClusterView& view) {
  std::uint64_t newest = 0;
  for (const NodeView& node : view.nodes) {
    if (node.etcd.status) newest = std::max(newest, node.etcd.status->raft_applied_index);
  }
  return newest;
}

/// How an operator gives a learner up. A learner's own etcd refuses it, so a voter is asked.
std::string learner_fix(const Wanted& wanted, const ClusterView& view, EtcdMemberId learner,
                        const std::string& name) {
  std::string voter = "OTHER";
  for (const NodeView& node : view.nodes) {
    const NodePlan* plan = wanted.profile.find(node.node);
    const bool votes = plan && node.etcd.service_healthy && node.etcd.status &&
                       !node.etcd.status->is_learner && node.node.value() != name;
    if (votes) voter = plan->address.value();
    if (votes) break;
  }
  return fmt::format(
      "if it makes no progress: `talosctl -n {} etcd remove-member {:016x}`, then reboot {}: it "
      "joins again",
      voter, learner.value(), name);
}

/// E6 and E7: joins are serial and a learner is promoted by its own node, which tries for ten
/// minutes.
Wait learner_wait(const Wanted& wanted, const ClusterView& view, const NodeView& node,
                  const EtcdStatus& status, std::uint64_t newest) {
  const std::string& name = node.node.value();
  return Wait{fmt::format("{} is still a learner (member {:016x}, {} of {} entries)", name,
                          status.member.value(), status.raft_applied_index, newest),
              "E7", learner_fix(wanted, view, status.member, name), kPromotionTime};
}

const EtcdMember* find_learner(const ClusterView& view) {
  for (const NodeView& node : view.nodes) {
    if (!node.etcd.members) continue;
    for (const EtcdMember& member : *node.etcd.members) {
      if (member.is_learner) return &member;
    }
  }
  return nullptr;
}

/// The same as another member sees it: a learner's own etcd answers no calls, and whoever waits to
/// join behind it says no more than that it is not healthy.
std::optional<Wait> learner_listed(const Wanted& wanted, const ClusterView& view) {
  const EtcdMember* learner = find_learner(view);
  if (!learner) return std::nullopt;
  return Wait{
      fmt::format("{} is still a learner (member {:016x})", learner->hostname, learner->id.value()),
      "E7", learner_fix(wanted, view, learner->id, learner->hostname), kPromotionTime};
}

std::optional<Wait> unmet_on(const Wanted& wanted, const ClusterView& view, const NodeView& node,
                             std::uint64_t newest) {
  const std::string& name = node.node.value();
  if (node.trouble) return Wait{fmt::format("{}: {}", name, to_text(*node.trouble))};
  if (!node.etcd.service_healthy) {
    return Wait{fmt::format("etcd on {} is not healthy ({})", name,
                            node.etcd.service_state.empty() ? "unknown" : node.etcd.service_state),
                "E6", fmt::format("see `talosctl -n {} logs etcd`", node.address.value())};
  }
  if (!node.etcd.members || !node.etcd.status || !node.etcd.alarms) {
    return Wait{fmt::format("etcd on {} does not answer yet", name)};
  }
  const EtcdStatus& status = *node.etcd.status;
  if (status.leader == EtcdMemberId{}) {
    return Wait{fmt::format("{} sees no leader: etcd has lost its quorum", name), "E8",
                "bring the missing control planes back; nothing is restarted meanwhile"};
  }
  if (status.is_learner) return learner_wait(wanted, view, node, status, newest);
  if (!status.errors.empty()) {
    return Wait{fmt::format("etcd on {}: {}", name, status.errors.front()), "E9",
                fmt::format("see `talosctl -n {} etcd status`", node.address.value())};
  }
  if (newest - status.raft_applied_index > kIndexLag) {
    return Wait{
        fmt::format("etcd on {} is behind: {} of {} entries applied", name,
                    status.raft_applied_index, newest),
        "E9",
        fmt::format("its disk may be slow: `talosctl -n {} etcd status`", node.address.value())};
  }
  return std::nullopt;
}

bool is_control_plane(const Wanted& wanted, const NodeView& node) {
  const NodePlan* plan = wanted.profile.find(node.node);
  return plan && plan->role == Role::control_plane;
}

/// E9: every alarm that a member lists, each reported once and for the member that it was raised
/// for.
std::optional<Stop> find_alarm(const Wanted& wanted, const ClusterView& view) {
  std::vector<Finding> found;
  std::set<std::string> told;
  for (const NodeView& node : view.nodes) {
    if (!is_control_plane(wanted, node)) continue;
    for (const RaisedAlarm& raised : raised_alarms(node.etcd)) {
      if (!told.insert(to_text(raised)).second) continue;
      const bool planned = wanted.profile.find(NodeName(raised.hostname)) != nullptr;
      found.push_back(Finding{
          Severity::error, "E9", planned ? NodeName(raised.hostname) : NodeName(), "etcd",
          "etcd alarm " + to_text(raised), alarm_advice(wanted.profile, node.etcd, raised)});
    }
  }
  if (found.empty()) return std::nullopt;
  Stop stop{std::move(found.front())};
  stop.more.assign(std::move_iterator(found.begin() + 1), std::move_iterator(found.end()));
  return stop;
}

}  // namespace

Decision decide_etcd_health(const Wanted& wanted, const ClusterView& view) {
  const std::vector<EtcdGroup> groups = etcd_groups(view);
  if (groups.size() > 1) {
    return Stop{
        Finding{
            Severity::error,
            "E4",
            {},
            "etcd",
            fmt::format("two etcd clusters: [{}] and [{}]", to_text(groups[0]), to_text(groups[1])),
            "nothing was sent to either; keep the one that has your data, and `ichor reset` the "
            "control planes of the other"},
        true};
  }
  // A member without a disk never catches up, whatever the others say of it.
  for (const NodeView& node : view.nodes) {
    if (auto stop = decide_dead_disk(node)) return *std::move(stop);
  }
  if (auto stop = find_alarm(wanted, view)) return *std::move(stop);
  const std::uint64_t newest = newest_index(view);
  std::optional<Wait> learner = learner_listed(wanted, view);
  int voters_seen = 0;
  for (const NodeView& node : view.nodes) {
    if (!is_control_plane(wanted, node)) continue;
    if (auto unmet = unmet_on(wanted, view, node, newest)) {
      const bool waits = unmet->fault == "E6";
      return waits && learner ? *std::move(learner) : *std::move(unmet);
    }
    const auto& members = *node.etcd.members;
    const auto voters = std::count_if(members.begin(), members.end(),
                                      [](const EtcdMember& member) { return !member.is_learner; });
    if (voters != wanted.profile.control_plane_count()) {
      if (learner) return *std::move(learner);
      return Wait{fmt::format("{} sees {} of {} voters", node.node.value(), voters,
                              wanted.profile.control_plane_count()),
                  "E6"};
    }
    ++voters_seen;
  }
  if (voters_seen < wanted.profile.control_plane_count()) return Wait{"control planes are missing"};
  return Satisfied{};
}

Decision EtcdHealth::decide(const Wanted& wanted, const ClusterView& view) const {
  for (const NodeView& node : view.nodes) {
    if (node.presence != Presence::foreign && node.presence != Presence::stranger) continue;
    return *decide_presence(*wanted.profile.find(node.node), node);
  }
  return decide_etcd_health(wanted, view);
}

}  // namespace ichor
