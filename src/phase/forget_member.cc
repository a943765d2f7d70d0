#include "phase/forget_member.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/etcd_groups.h"

namespace ichor {

namespace {

Stop unsafe(std::string id, const NodeName& node, std::string what, std::string fix) {
  return Stop{
      Finding{Severity::error, std::move(id), node, "etcd", std::move(what), std::move(fix)}, true};
}

bool votes(const NodeView& node) {
  return node.presence == Presence::configured && node.etcd.service_healthy && node.etcd.status &&
         !node.etcd.status->is_learner && node.etcd.status->leader != EtcdMemberId{} &&
         node.etcd.members;
}

std::vector<EtcdMember> sorted(std::vector<EtcdMember> members) {
  std::sort(members.begin(), members.end(),
            [](const EtcdMember& one, const EtcdMember& other) { return one.id < other.id; });
  return members;
}

/// The voters that answer for themselves, without the node that goes.
std::vector<const NodeView*> other_voters(const ClusterView& view, const NodeName& node) {
  std::vector<const NodeView*> voters;
  for (const NodeView& other : view.nodes) {
    if (other.node != node && votes(other)) voters.push_back(&other);
  }
  return voters;
}

/// Whether the node that goes is out of the way.
std::optional<Decision> still_there(const ForgetPlan& plan, const Wanted& wanted,
                                    const ClusterView& view) {
  const auto found = std::find_if(view.nodes.begin(), view.nodes.end(),
                                  [&](const NodeView& node) { return node.node == plan.node; });
  if (found == view.nodes.end()) return std::nullopt;
  const std::string& name = plan.node.value();
  if (found->presence == Presence::configured) {
    if (!plan.dead) return Wait{fmt::format("{} still answers as a member of the cluster", name)};
    return unsafe(
        "E8", plan.node, fmt::format("{} answers: its machine is not dead", name),
        fmt::format("let it leave by itself: `ichor node remove {}` without --dead", name));
  }
  // A machine that was not reset and does not answer may only be slow, or cut off.
  const bool went = plan.dead || wanted.facts.came_back_in(plan.node);
  if (went) return std::nullopt;
  return Wait{fmt::format("whether {} was reset is not known", name)};
}

}  // namespace

Decision ForgetMember::decide(const Wanted& wanted, const ClusterView& view) const {
  if (auto wait = still_there(plan_, wanted, view)) return *std::move(wait);
  if (etcd_groups(view).size() > 1) {
    return unsafe("E4", {}, "two etcd clusters were seen: no member is removed",
                  "`ichor etcd status` shows both");
  }
  const std::vector<const NodeView*> voters = other_voters(view, plan_.node);
  if (voters.empty()) {
    return Wait{"no other control plane shows the members of etcd", "E8",
                "bring the other control planes back first"};
  }
  const std::vector<EtcdMember> members = sorted(*voters.front()->etcd.members);
  for (const NodeView* voter : voters) {
    if (sorted(*voter->etcd.members) == members) continue;
    return Wait{fmt::format("{} and {} list different members", voters.front()->node.value(),
                            voter->node.value()),
                "E6"};
  }
  const auto gone = std::find_if(members.begin(), members.end(), [&](const EtcdMember& member) {
    return member.hostname == plan_.node.value();
  });
  if (gone == members.end()) return Satisfied{{}, "etcd does not have this member any more"};
  const auto all = std::count_if(members.begin(), members.end(),
                                 [](const EtcdMember& member) { return !member.is_learner; });
  const auto healthy = static_cast<std::ptrdiff_t>(voters.size());
  const std::ptrdiff_t after = gone->is_learner ? all : all - 1;
  if (healthy <= all / 2 || healthy <= after / 2) {
    return Wait{fmt::format("{} of {} voters are healthy without {}; {} are needed", healthy, all,
                            plan_.node.value(), all / 2 + 1),
                "E8", "bring the other control planes back first"};
  }
  const NodeView& through = *voters.front();
  const MutationFact* sent = wanted.facts.last(Call::etcd_remove_member, through.node);
  const bool open = sent && sent->outcome == OutcomeKind::unknown;
  if (open && wanted.now - sent->at < kSettleTime) {
    return Wait{
        fmt::format("whether the member {:016x} was removed is not known yet", gone->id.value())};
  }
  NodeCall action{
      Call::etcd_remove_member,
      through.node,
      {},
      fmt::format("remove {} (member {:016x}); {} of {} other voters are healthy",
                  plan_.node.value(), gone->id.value(), healthy, gone->is_learner ? all : all - 1),
      voters.front()->at + kFreshTime};
  action.member = gone->id;
  return Act{std::move(action)};
}

}  // namespace ichor
