#include "phase/upgrade_guard.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/etcd_health.h"

namespace ichor {

namespace {

/// Member lists of several nodes compare as equal in this order.
std::vector<EtcdMember> sorted(std::vector<EtcdMember> members) {
  std::sort(members.begin(), members.end(),
            [](const EtcdMember& a, const EtcdMember& b) { return a.id < b.id; });
  return members;
}

}  // namespace

std::optional<Decision> etcd_unsettled(const Wanted& wanted, const ClusterView& view) {
  Decision healthy = decide_etcd_health(wanted, view);
  if (!std::holds_alternative<Satisfied>(healthy)) return healthy;
  std::optional<std::vector<EtcdMember>> members;
  for (const NodeView& other : view.nodes) {
    if (!other.etcd.members) continue;
    std::vector<EtcdMember> theirs = sorted(*other.etcd.members);
    if (members && *members != theirs) {
      return Wait{fmt::format("{} lists other members of etcd than another control plane",
                              other.node.value()),
                  "E6"};
    }
    members = std::move(theirs);
  }
  return std::nullopt;
}

std::optional<Decision> may_not_go_down(const Wanted& wanted, const ClusterView& view,
                                        const UpgradePlan& plan, const NodeName& node) {
  if (auto unsettled = etcd_unsettled(wanted, view)) return unsettled;
  // Every control plane that the profile has is a voter, or etcd would not be healthy.
  const auto all = static_cast<std::size_t>(wanted.profile.control_plane_count());
  const std::size_t needed = all / 2 + 1;
  if (plan.downtime || all >= needed + 1) return std::nullopt;
  return Stop{
      Finding{Severity::error, "U7", node, "quorum",
              fmt::format("etcd has {} {}; while {} reboots it has no quorum, and the Kubernetes "
                          "API does not answer",
                          all, all == 1 ? "member" : "members", node.value()),
              fmt::format("to accept that: `ichor upgrade --consent-downtime {}`",
                          wanted.profile.name)},
      true};
}

MonoTime sound_until(const ClusterView& view) {
  MonoTime oldest = kNever;
  for (const NodeView& node : view.nodes) {
    if (node.etcd.status) oldest = std::min(oldest, node.at);
  }
  return oldest == kNever ? kNever : oldest + kFreshTime;
}

}  // namespace ichor
