#include "phase/upgrade.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/discover.h"
#include "phase/take_snapshot.h"
#include "phase/upgrade_guard.h"
#include "phase/upgrade_node.h"
#include "secrets/digest.h"

namespace ichor {

namespace {

std::optional<Decision> goes_freely() { return std::nullopt; }

Reads upgrade_reads(const UpgradePlan& plan) {
  return {.status = true, .version = true, .upgrade = true, .kube_node = plan.drain};
}

bool leads(const NodeView& node) {
  const auto& status = node.etcd.status;
  return status && status->leader != EtcdMemberId{} && status->leader == status->member;
}

/// The leader hands over before it goes, so that no election is waited for.
std::optional<Decision> hand_over(const Wanted& wanted, const ClusterView& view,
                                  const NodeView& node) {
  const bool others = node.etcd.members && node.etcd.members->size() > 1;
  if (!others || !leads(node)) return std::nullopt;
  const MutationFact* asked = wanted.facts.last(Call::etcd_forfeit_leadership, node.node);
  // Once in a boot: where it stays the leader, an election has to do.
  if (asked && asked->mark == node.identity->boot_id.value()) return std::nullopt;
  return Act{NodeCall{Call::etcd_forfeit_leadership,
                      node.node,
                      {},
                      "it leads etcd and is about to go down",
                      sound_until(view)}};
}

/// The action must leave while the look at etcd still counts.
Decision bounded(Decision decision, const ClusterView& view) {
  Act* act = std::get_if<Act>(&decision);
  if (!act) return decision;
  NodeCall call = act->node_call();
  const bool takes_down =
      call.call == Call::cordon || call.call == Call::upgrade || call.call == Call::reboot;
  if (takes_down) call.sound_until = sound_until(view);
  return Act{std::move(call)};
}

}  // namespace

Reads UpgradeCheck::reads() const {
  Reads reads = upgrade_reads(plan_);
  reads.hardware = true;
  reads.etcd_health = true;
  return reads;
}

std::vector<Finding> UpgradeCheck::refusals(const Wanted& wanted, const ClusterView& view) const {
  std::vector<Finding> found;
  for (const NodeView& node : view.nodes) {
    const NodePlan& plan = *wanted.profile.find(node.node);
    if (!plan_.nodes.contains(node.node) || !node.version || !node.upgrade) continue;
    if (node.hardware && node.hardware->container) {
      found.push_back({Severity::error, "A3", node.node, "upgrade",
                       fmt::format("{} is a container: it has no image to boot", plan.name.value()),
                       "make its container again from the image of the new version"});
      continue;
    }
    std::string kubernetes = wanted.profile.talos.kubernetes_version;
    if (node.kube && !node.kube->kubelet_version.empty()) kubernetes = node.kube->kubelet_version;
    if (auto wrong = path_trouble(plan_, node.node, *node.version, kubernetes)) {
      found.push_back(*std::move(wrong));
      continue;
    }
    auto image = upgrade_image(wanted.profile, plan_, plan, *node.upgrade);
    if (!image) found.push_back(std::move(image).error());
  }
  return found;
}

Decision UpgradeCheck::decide(const Wanted& wanted, const ClusterView& view) const {
  std::optional<Decision> waits;
  bool all_done = true;
  for (const NodeView& node : view.nodes) {
    const NodePlan& plan = *wanted.profile.find(node.node);
    if (!plan_.nodes.contains(node.node)) continue;
    const NodeUpgrade upgrade(plan_, wanted, plan, node);
    all_done = all_done && upgrade.done();
    if (upgrade.under_way()) continue;  // it may be away by our own doing
    // The machine must be the one that bears the name, and known to the journal.
    Decision bound = Discover().decide(wanted, plan, node);
    if (std::holds_alternative<Wait>(bound)) {
      if (!waits) waits = std::move(bound);
      continue;
    }
    if (!std::holds_alternative<Satisfied>(bound)) return bound;
    if (!node.version || !node.upgrade || !node.status) {
      if (!waits) waits = wait_for_node(plan, node);
    }
  }
  std::vector<Finding> found = refusals(wanted, view);
  if (!found.empty()) {
    Stop stop{std::move(found.front()), true};
    stop.more.assign(std::move_iterator(found.begin() + 1), std::move_iterator(found.end()));
    return stop;
  }
  if (waits) return *std::move(waits);
  if (all_done) {
    return Satisfied{{}, fmt::format("every node runs {}", to_text(plan_.target))};
  }
  for (const NodeView& node : view.nodes) {
    const NodePlan& plan = *wanted.profile.find(node.node);
    const bool goes = plan.role == Role::control_plane && plan_.nodes.contains(node.node);
    if (!goes) continue;
    const NodeUpgrade upgrade(plan_, wanted, plan, node);
    // One that is down by our own doing is finished first; the others are judged then.
    if (upgrade.under_way()) return Satisfied{};
    if (upgrade.done()) continue;
    if (auto unsafe = may_not_go_down(wanted, view, plan_, node.node)) return *std::move(unsafe);
  }
  return Satisfied{};
}

Reads PullImage::reads() const {
  Reads reads = upgrade_reads(plan_);
  reads.kube_node = false;
  return reads;
}

Decision PullImage::decide(const Wanted& wanted, const NodePlan& node, const NodeView& view) const {
  if (!plan_.nodes.contains(node.name)) return Satisfied{};
  const NodeUpgrade upgrade(plan_, wanted, node, view);
  if (upgrade.asked()) return Satisfied{{}, "the node has the image"};
  if (auto decided = decide_presence(node, view)) return *std::move(decided);
  // Also the status, which it does not need: a call that was lost is not repeated without a look.
  const bool seen = view.status && view.version && view.upgrade && view.identity;
  if (!seen) return wait_for_node(node, view);
  if (upgrade.runs_target()) return Satisfied{{}, "it runs the image"};
  auto image = upgrade_image(wanted.profile, plan_, node, *view.upgrade);
  if (!image) return Stop{std::move(image).error(), true};
  NodeCall pull{Call::pull_image, node.name, pki::sha256(*image), *image, kNever};
  const MutationFact* before = wanted.facts.last(Call::pull_image, node.name);
  const bool has_it = before && before->outcome == OutcomeKind::done &&
                      before->payload == pull.payload &&
                      before->mark == view.identity->boot_id.value();
  if (has_it) return Satisfied{{}, "the image is there"};
  pull.upgrade = {*image, has_lifecycle(*view.version)};
  return Act{std::move(pull)};
}

Reads UpgradeControlPlanes::reads() const {
  Reads reads = upgrade_reads(plan_);
  reads.etcd_health = true;
  return reads;
}

Duration UpgradeControlPlanes::budget(const Budgets& budgets) const {
  // One after another, so each has its time.
  return (budgets.upgrade + budgets.drain) *
         static_cast<int>(std::max<std::size_t>(plan_.nodes.size(), 1));
}

Decision UpgradeControlPlanes::decide(const Wanted& wanted, const ClusterView& view) const {
  const NodeView* chosen = nullptr;
  int rank_of_chosen = 0;
  for (const NodeView& node : view.nodes) {
    const NodePlan& plan = *wanted.profile.find(node.node);
    if (plan.role != Role::control_plane || !plan_.nodes.contains(node.node)) continue;
    const NodeUpgrade upgrade(plan_, wanted, plan, node);
    if (upgrade.done()) continue;
    // What was started is finished before another one goes; the leader is the last to start.
    const int rank = upgrade.under_way() ? 3 : leads(node) ? 1 : 2;
    if (rank <= rank_of_chosen) continue;
    chosen = &node;
    rank_of_chosen = rank;
  }
  if (!chosen) {
    // The last one is through when etcd is.
    auto unhealthy = etcd_unsettled(wanted, view);
    const bool concerns_us =
        std::any_of(view.nodes.begin(), view.nodes.end(),
                    [&](const auto& one) { return plan_.nodes.contains(one.node); });
    if (unhealthy && concerns_us) return *std::move(unhealthy);
    return Satisfied{};
  }
  const NodePlan& plan = *wanted.profile.find(chosen->node);
  const NodeUpgrade upgrade(plan_, wanted, plan, *chosen);
  const auto guard = [&]() -> std::optional<Decision> {
    if (auto unsafe = may_not_go_down(wanted, view, plan_, chosen->node)) return unsafe;
    return hand_over(wanted, view, *chosen);
  };
  return bounded(upgrade.next(guard), view);
}

Reads UpgradeWorker::reads() const { return upgrade_reads(plan_); }

Decision UpgradeWorker::decide(const Wanted& wanted, const NodePlan& node,
                               const NodeView& view) const {
  if (!plan_.nodes.contains(node.name)) return Satisfied{};
  return NodeUpgrade(plan_, wanted, node, view).next(goes_freely);
}

Reads Upgraded::reads() const {
  Reads reads = upgrade_reads(plan_);
  reads.etcd_health = true;
  return reads;
}

Decision Upgraded::decide(const Wanted& wanted, const ClusterView& view) const {
  for (const NodeView& node : view.nodes) {
    const NodePlan& plan = *wanted.profile.find(node.node);
    if (!plan_.nodes.contains(node.node)) continue;
    const NodeUpgrade upgrade(plan_, wanted, plan, node);
    if (upgrade.done()) continue;
    if (!node.version || !node.status) return wait_for_node(plan, node);
    return Wait{fmt::format("{} runs {} and is {}", plan.name.value(), to_text(*node.version),
                            name_of(node.status->stage))};
  }
  if (auto unsettled = etcd_unsettled(wanted, view)) return *std::move(unsettled);
  if (wanted.facts.snapshot()) {
    // The next upgrade takes a snapshot of its own.
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.key = kSnapshotKey;
    return Remember{std::move(record)};
  }
  return Satisfied{};
}

std::vector<Step> upgrade_steps(const UpgradePlan& plan) {
  using enum Milestone;
  std::vector<Step> steps{
      // Nothing is changed for an upgrade that would be refused halfway.
      {std::make_shared<UpgradeCheck>(plan), Who::cluster, none, upgrade_checked, false},
      // On all nodes before the first is drained: an image that is missing on one is found here.
      {std::make_shared<PullImage>(plan), Who::every_node, upgrade_checked, images_pulled, true},
      // Before the workers, whose kubelets must not be newer than their API server's Talos.
      {std::make_shared<UpgradeControlPlanes>(plan), Who::cluster, images_pulled,
       control_planes_upgraded, false},
      {std::make_shared<UpgradeWorker>(plan), Who::workers, control_planes_upgraded, nodes_upgraded,
       true},
      {std::make_shared<Upgraded>(plan), Who::cluster, nodes_upgraded, none, false},
  };
  steps[3].first_failure_stops = true;
  if (plan.snapshot) {
    // After what may be refused, and before the first cordon.
    Step first{std::make_shared<TakeSnapshot>(plan), Who::cluster, images_pulled, none, false};
    steps.insert(steps.begin() + 2, std::move(first));
  }
  return steps;
}

}  // namespace ichor
