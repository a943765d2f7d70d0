#include "phase/upgrade_node.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/verify.h"
#include "secrets/digest.h"

namespace ichor {

namespace {

using std::chrono::minutes;

/// How long a node that accepted an upgrade or a reboot may take to leave, pods and all.
constexpr Duration kLeaveTime = minutes(8);
/// How long an installer may run whose end was not heard.
constexpr Duration kInstallTime = minutes(10);

std::string to_text(const PodOnNode& pod) { return pod.name_space + "/" + pod.name; }

/// "a/x, b/y and 7 more".
std::string names_of(const std::vector<const PodOnNode*>& pods) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(pods.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + to_text(*pods[i]);
  }
  if (pods.size() > kShown) text += fmt::format(" and {} more", pods.size() - kShown);
  return text;
}

}  // namespace

bool has_lifecycle(const TalosVersion& version) { return version >= TalosVersion{1, 13, 0}; }

NodeUpgrade::NodeUpgrade(const UpgradePlan& plan, const Wanted& wanted, const NodePlan& node,
                         const NodeView& view)
    : plan_(plan), wanted_(wanted), node_(node), view_(view) {
  if (!view.upgrade) return;
  auto image = upgrade_image(wanted.profile, plan, node, *view.upgrade);
  if (image) image_ = *std::move(image);
  if (!image) refused_ = std::move(image).error();
}

bool NodeUpgrade::runs_target() const {
  if (!view_.version || !view_.upgrade || image_.empty()) return false;
  const std::string schematic = schematic_of(image_);
  return *view_.version == plan_.target &&
         (schematic.empty() || view_.upgrade->schematic == schematic);
}

bool NodeUpgrade::same_boot(const MutationFact& sent) const {
  return sent.mark == view_.identity->boot_id.value();
}

const MutationFact* NodeUpgrade::sent() const {
  const MutationFact* sent = wanted_.facts.last(Call::upgrade, node_.name);
  const bool counts =
      sent && sent->outcome != OutcomeKind::refused && sent->payload == pki::sha256(image_);
  return counts ? sent : nullptr;
}

/// Running, ready, and confirmed: what the installer marked is gone.
bool NodeUpgrade::at_goal() const {
  if (!runs_target() || !view_.status || view_.upgrade->pending) return false;
  if (!reached_goal(wanted_.profile, *view_.status)) return false;
  return !drains() || (view_.kube && (view_.kube->ready || wanted_.profile.talos.cni_none));
}

bool NodeUpgrade::done() const {
  const bool cordoned = view_.kube && view_.kube->cordoned && wanted_.facts.cordoned(node_.name);
  return at_goal() && !(plan_.drain && cordoned);
}

bool NodeUpgrade::under_way() const {
  return (wanted_.facts.cordoned(node_.name) && !done()) || asked();
}

bool NodeUpgrade::asked() const {
  if (view_.presence != Presence::configured || !view_.identity) {
    return wanted_.facts.last(Call::upgrade, node_.name) != nullptr;
  }
  return sent() && !done();
}

NodeCall NodeUpgrade::call(Call call, std::string why) const {
  NodeCall made{call, node_.name, {}, std::move(why), kNever};
  made.upgrade = {image_, view_.version && has_lifecycle(*view_.version)};
  if (call == Call::upgrade || call == Call::pull_image) made.payload = pki::sha256(image_);
  if (view_.kube) made.object_uid = view_.kube->uid;
  return made;
}

Decision NodeUpgrade::next(const Guard& may_go_down) const {
  if (auto decided = decide_presence(node_, view_)) {
    const bool away = std::holds_alternative<Wait>(*decided) && under_way();
    if (away) return Wait{fmt::format("{} is away: it reboots", name())};
    return *std::move(decided);
  }
  if (view_.presence == Presence::maintenance) {
    return Stop{Finding{Severity::error, "T2", node_.name, "upgrade",
                        fmt::format("{} is in maintenance mode", name()),
                        "`ichor up` installs it; then upgrade"}};
  }
  if (!view_.status || !view_.version || !view_.identity || !view_.upgrade) {
    return wait_for_node(node_, view_);
  }
  if (refused_) return Stop{*refused_, true};
  if (runs_target()) return confirm();
  if (wanted_.facts.fell_back(node_.name)) return fallen_back();
  if (const MutationFact* before = sent()) return follow_install(*before, may_go_down);
  if (view_.upgrade->pending) {
    return Stop{
        Finding{Severity::error, "U8", node_.name, "upgrade",
                fmt::format("{} has an image installed that it has not booted, and this journal "
                            "has not asked for it",
                            name()),
                fmt::format("reboot it into that image with `talosctl -n {} reboot`, or go back "
                            "with `talosctl -n {} rollback`; then upgrade",
                            node_.address.value(), node_.address.value())},
        true};
  }
  if (drains()) {
    Decision drained = drain(may_go_down);
    if (!std::holds_alternative<Satisfied>(drained)) return drained;
  }
  return install(may_go_down);
}

Decision NodeUpgrade::confirm() const {
  if (!reached_goal(wanted_.profile, *view_.status)) {
    return Wait{fmt::format("{} runs {} and is {}", name(), ichor::to_text(plan_.target),
                            ichor::to_text(*view_.status))};
  }
  if (view_.upgrade->pending) {
    return Wait{fmt::format("{} runs {} and has not confirmed the boot yet", name(),
                            ichor::to_text(plan_.target)),
                "U3"};
  }
  if (!plan_.drain) return Satisfied{};
  if (!view_.kube) {
    return Wait{fmt::format("the Kubernetes API does not show {}: {}", name(), view_.kube_trouble)};
  }
  if (drains() && !view_.kube->ready && !wanted_.profile.talos.cni_none) {
    return Wait{
        fmt::format("{} runs {} and its Node is not Ready", name(), ichor::to_text(plan_.target))};
  }
  if (view_.kube->cordoned && wanted_.facts.cordoned(node_.name)) {
    return Act{call(Call::uncordon, "it runs " + ichor::to_text(plan_.target) + " and is ready")};
  }
  return Satisfied{};
}

Decision NodeUpgrade::fallen_back() const {
  const bool give_back = plan_.drain && view_.kube && view_.kube->cordoned &&
                         wanted_.facts.cordoned(node_.name) &&
                         reached_goal(wanted_.profile, *view_.status);
  if (give_back) return Act{call(Call::uncordon, "it runs its old version again")};
  return Stop{Finding{Severity::error, "U3", node_.name, "upgrade",
                      *wanted_.facts.fell_back(node_.name),
                      fmt::format("no other node is upgraded. See its console and `talosctl -n {} "
                                  "dmesg`; when it is fixed, `ichor upgrade` tries again",
                                  node_.address.value())}};
}

Decision NodeUpgrade::drain(const Guard& may_go_down) const {
  if (!view_.kube) {
    return Wait{fmt::format("the Kubernetes API does not show {}: {}", name(), view_.kube_trouble),
                "U2", "or leave the pods where they are: `ichor upgrade --drain=false`"};
  }
  if (auto unsafe = may_go_down()) return *std::move(unsafe);
  if (!view_.kube->cordoned) {
    return Act{call(Call::cordon, "no new pods on it before it is upgraded")};
  }
  std::vector<const PodOnNode*> leaving, blocked;
  NodeCall evict = call(Call::evict, {});
  for (const PodOnNode& pod : view_.kube->pods) {
    if (pod.leaving) leaving.push_back(&pod);
    if (!pod.leaving && !pod.blocked_by.empty()) blocked.push_back(&pod);
    const bool can_go = !pod.leaving && pod.blocked_by.empty();
    if (can_go) evict.pods.push_back({pod.name_space, pod.name, pod.uid});
  }
  if (!evict.pods.empty()) {
    evict.why = fmt::format("{} {} to move away from it", evict.pods.size(),
                            evict.pods.size() == 1 ? "pod has" : "pods have");
    return Act{std::move(evict)};
  }
  if (leaving.empty() && blocked.empty()) return Satisfied{};
  const std::string who = names_of(blocked.empty() ? leaving : blocked);
  const std::string why = blocked.empty()
                              ? "its grace period runs"
                              : fmt::format("the PodDisruptionBudget {} allows no disruption",
                                            blocked.front()->blocked_by);
  return Wait{fmt::format("{} cannot be drained yet: {}: {}", name(), who, why), "U2",
              fmt::format("the node is cordoned and still runs its old version. Give the workload "
                          "another replica or change the budget, then `ichor upgrade` goes on; "
                          "`kubectl uncordon {}` calls it off",
                          name()),
              wanted_.profile.budgets.drain};
}

Decision NodeUpgrade::follow_install(const MutationFact& sent, const Guard& may_go_down) const {
  const Duration since = wanted_.now - sent.at;
  if (!same_boot(sent)) {
    // Whether an install had ended before the node went down is not known: it is asked for again.
    if (sent.outcome != OutcomeKind::done) return install(may_go_down);
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.node = node_.name;
    record.key = kFellBackKey;
    record.value = fmt::format("{} booted {} again after {} was installed: it fell back", name(),
                               ichor::to_text(*view_.version), ichor::to_text(plan_.target));
    return Remember{std::move(record)};
  }
  if (has_lifecycle(*view_.version)) {
    const bool installed = sent.outcome == OutcomeKind::done || view_.upgrade->pending;
    if (installed) return reboot(may_go_down);
    if (since >= kInstallTime) return install(may_go_down);
    return Wait{fmt::format("how the install on {} ended was not heard; it may still run", name())};
  }
  const Duration patience = sent.outcome == OutcomeKind::done ? kLeaveTime : kSettleTime;
  const bool busy =
      view_.status->stage == Stage::upgrading || view_.status->stage == Stage::rebooting;
  if (!busy && since >= patience) return install(may_go_down);
  return Wait{
      fmt::format("{} accepted the upgrade and is {}", name(), name_of(view_.status->stage))};
}

Decision NodeUpgrade::reboot(const Guard& may_go_down) const {
  const MutationFact* asked = wanted_.facts.last(Call::reboot, node_.name);
  const bool leaves = asked && asked->outcome != OutcomeKind::refused && same_boot(*asked);
  const Duration patience =
      leaves && asked->outcome == OutcomeKind::done ? kLeaveTime : kSettleTime;
  if (leaves && wanted_.now - asked->at < patience) {
    return Wait{
        fmt::format("{} has {} installed and reboots", name(), ichor::to_text(plan_.target))};
  }
  if (auto unsafe = may_go_down()) return *std::move(unsafe);
  return Act{call(Call::reboot, ichor::to_text(plan_.target) + " is installed, not booted")};
}

Decision NodeUpgrade::install(const Guard& may_go_down) const {
  if (auto unsafe = may_go_down()) return *std::move(unsafe);
  return Act{call(Call::upgrade, fmt::format("{} → {}: {}", ichor::to_text(*view_.version),
                                             ichor::to_text(plan_.target), image_))};
}

}  // namespace ichor
