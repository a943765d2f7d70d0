#include "phase/etcd_health.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/mutant.h"
#include "phase/etcd_groups.h"

namespace ichor {

namespace {

std::string_view name_of(EtcdAlarmKind kind) {
  return kind == EtcdAlarmKind::no_space ? "NOSPACE" : "CORRUPT";
}

std::optional<std::string> unmet_on(const NodeView& node) {
  const std::string& name = node.node.value();
  if (node.trouble) return fmt::format("{}: {}", name, to_text(*node.trouble));
  if (!node.etcd.service_healthy) {
    return fmt::format("etcd on {} is not healthy ({})", name,
                       node.etcd.service_state.empty() ? "unknown" : node.etcd.service_state);
  }
  if (!node.etcd.members || !node.etcd.status || !node.etcd.alarms) {
    return fmt::format("etcd on {} does not answer yet", name);
  }
  if (node.etcd.status->leader == EtcdMemberId{}) return fmt::format("{} sees no leader", name);
  if (node.etcd.status->is_learner) return fmt::format("{} is still a learner", name);
  if (!node.etcd.status->errors.empty()) {
    return fmt::format("etcd on {}: {}", name, node.etcd.status->errors.front());
  }
  return std::nullopt;
}

bool is_control_plane(const Wanted& wanted, const NodeView& node) {
  const NodePlan* plan = wanted.profile.find(node.node);
  return plan && plan->role == Role::control_plane;
}

}  // namespace

Decision decide_etcd_health(const Wanted& wanted, const ClusterView& view) {
  const std::vector<EtcdGroup> groups = etcd_groups(view);
  if (groups.size() > 1 && !mutant("two-clusters-are-one")) {
    return Stop{Finding{Severity::error,
                        "E4",
                        {},
                        "etcd",
                        fmt::format("two etcd clusters: [{}] and [{}]", to_text(groups[0]),
                                    to_text(groups[1])),
                        "nothing was touched; `ichor reset` the control planes of the wrong one"},
                true};
  }
  int voters_seen = 0;
  for (const NodeView& node : view.nodes) {
    if (!is_control_plane(wanted, node)) continue;
    if (auto unmet = unmet_on(node)) return Wait{*std::move(unmet)};
    if (!node.etcd.alarms->empty() && !mutant("alarms-ignored")) {
      return Stop{Finding{Severity::error, "E9", node.node, "etcd",
                          fmt::format("etcd alarm {} on {}",
                                      name_of(node.etcd.alarms->front().kind), node.node.value()),
                          "NOSPACE: defragment and disarm; CORRUPT: replace the member"}};
    }
    const auto& members = *node.etcd.members;
    const auto voters = std::count_if(members.begin(), members.end(),
                                      [](const EtcdMember& member) { return !member.is_learner; });
    if (voters != wanted.profile.control_plane_count()) {
      return Wait{fmt::format("{} sees {} of {} voters", node.node.value(), voters,
                              wanted.profile.control_plane_count())};
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
