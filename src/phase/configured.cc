#include "phase/configured.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/verify.h"

namespace ichor {

namespace {

/// What a node cannot meet before there is an etcd: its own etcd or kubelet, the static pods that
/// need it, and the registration at an API server that is not there.
bool needs_etcd(const UnmetCondition& unmet) {
  return unmet.name == "services" || unmet.name == "staticPods" || unmet.name == "nodeReady";
}

}  // namespace

bool may_have_etcd(const ClusterProfile& profile, const JournalFacts& facts) {
  return facts.bootstrap_target() || facts.adopted() ||
         std::any_of(profile.nodes.begin(), profile.nodes.end(), [&](const NodePlan& plan) {
           return plan.role == Role::control_plane &&
                  (facts.found_running(plan.name) || facts.last(Call::bootstrap, plan.name));
         });
}

Decision Configured::decide(const Wanted& wanted, const NodePlan& plan,
                            const NodeView& view) const {
  if (auto decided = decide_presence(plan, view)) return *std::move(decided);
  const std::string& name = plan.name.value();
  if (view.presence == Presence::maintenance) {
    return Wait{fmt::format("{} is in maintenance mode", name), "T2",
                fmt::format("`ichor apply -n {}` sends its config", name)};
  }
  if (!view.status) return wait_for_node(plan, view);
  if (reached_goal(wanted.profile, *view.status)) return Satisfied{};
  const bool up = view.status->stage == Stage::booting || view.status->stage == Stage::running;
  const bool only_etcd_is_missing =
      std::all_of(view.status->unmet.begin(), view.status->unmet.end(), needs_etcd);
  // Of an etcd that is there the node is not the one that waits for a bootstrap.
  const bool has_etcd = plan.role == Role::control_plane && view.etcd.has_data != Known::no;
  if (up && only_etcd_is_missing && !has_etcd) return Satisfied{};
  return Wait{fmt::format("{} is {}", name, to_text(*view.status))};
}

}  // namespace ichor
