#include "phase/upgrade_k8s.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"
#include "phase/discover.h"
#include "phase/upgrade_k8s_path.h"
#include "phase/upgrade_node.h"
#include "phase/verify.h"
#include "secrets/digest.h"

namespace ichor {

namespace {

constexpr Reads kReads{
    .status = true, .version = true, .config = true, .kube_node = true, .config_text = true};

const MachineConfig& final_config(const Wanted& wanted, const NodeName& node) {
  const auto found = wanted.configs.nodes.find(node);
  check(found != wanted.configs.nodes.end(), "every node of the plan has a config");
  return found->second;
}

bool runs_on(KubeComponent component, const NodePlan& plan) {
  return component == KubeComponent::kubelet || plan.role == Role::control_plane;
}

/// The decisions that every step shares: the node is there, ours, and was seen whole.
std::optional<Decision> not_seen(const NodePlan& plan, const NodeView& node) {
  if (auto decided = decide_presence(plan, node)) return decided;
  const std::string& name = plan.name.value();
  if (node.presence == Presence::maintenance) {
    return Stop{Finding{Severity::error, "T2", plan.name, "upgrade",
                        fmt::format("{} is in maintenance mode", name),
                        "`ichor up` installs it; then upgrade"}};
  }
  const bool seen = node.status && node.version && node.identity && node.config && node.config_text;
  if (!seen) return wait_for_node(plan, node);
  if (!node.kube) {
    return Wait{fmt::format("the Kubernetes API does not show {}: {}", name, node.kube_trouble)};
  }
  if (node.kube->uid.empty()) {
    return Wait{fmt::format("the Kubernetes API has no Node {}", name)};
  }
  return std::nullopt;
}

/// The settings of a config that was read as one before.
tl::expected<KubernetesSettings, Finding> settings_of(const NodeName& node,
                                                      const SecretString& config) {
  auto settings = read_kubernetes(config);
  if (settings) return *std::move(settings);
  return tl::unexpected(Finding{
      Severity::error, "O4", node, "config",
      fmt::format("the config of {} cannot be read: {}", node.value(), settings.error().message),
      "`ichor drift` shows what differs"});
}

/// What runs of a component: "kubelet on w1 runs v1.35.2", "kubelet on w1 is not ready".
std::string state_of(const NodeView& node, KubeComponent component) {
  const auto runs = running_version(node, component);
  return fmt::format("{} on {} {}", name_of(component), node.node.value(),
                     !runs                       ? std::string("has not started")
                     : is_ready(node, component) ? "still runs " + to_text(*runs)
                                                 : to_text(*runs) + " is not ready");
}

bool runs_target(const KubernetesUpgrade& upgrade, const NodeView& node, KubeComponent component) {
  const auto runs = running_version(node, component);
  return runs && *runs == upgrade.target && is_ready(node, component);
}

/// Whether the node's config names the new image of the component already; nullopt: one of the two
/// configs does not name it.
struct ImageChange {
  std::string from, to;
  bool due() const { return from != to; }
};

tl::expected<ImageChange, Finding> image_change(const Wanted& wanted, const NodeView& node,
                                                KubeComponent component) {
  const auto live = settings_of(node.node, *node.config_text);
  if (!live) return forward_error(live);
  const auto target = settings_of(node.node, final_config(wanted, node.node).bytes);
  if (!target) return forward_error(target);
  const auto image = [&](const KubernetesSettings& settings) {
    const auto found = settings.images.find(component);
    return found == settings.images.end() ? std::string() : found->second;
  };
  return ImageChange{image(*live), image(*target)};
}

/// The node's config with this image: the profile's own as soon as nothing else differs.
tl::expected<std::shared_ptr<const MachineConfig>, Finding> next_config(const Wanted& wanted,
                                                                        const NodeView& node,
                                                                        KubeComponent component,
                                                                        const std::string& image) {
  const MachineConfig& whole = final_config(wanted, node.node);
  auto changed = with_images(*node.config_text, {{component, image}}, whole.role);
  if (!changed) {
    return tl::unexpected(Finding{Severity::error, "O4", node.node, "config",
                                  changed.error().message, "`ichor drift` shows what differs"});
  }
  if (changed->canonical == whole.canonical) return std::make_shared<const MachineConfig>(whole);
  return std::make_shared<const MachineConfig>(*std::move(changed));
}

JournalRecord observed(std::string_view key, std::string value, NodeName node = {}) {
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.node = std::move(node);
  record.key = std::string(key);
  record.value = std::move(value);
  return record;
}

/// Sends the node its next config.
Decision change_node(const KubernetesUpgrade& upgrade, const Wanted& wanted, const NodeView& node,
                     KubeComponent component, const ImageChange& change) {
  const std::string target = to_text(upgrade.target);
  const bool started = wanted.facts.kubernetes_open() && wanted.facts.kubernetes() == target;
  // From here on `ichor up` must not take the cluster back.
  if (!started) return Remember{observed(kKubernetesKey, target)};
  auto config = next_config(wanted, node, component, change.to);
  if (!config) return Stop{std::move(config).error(), true};
  const MutationFact* sent = wanted.facts.last(Call::apply_configuration, node.node);
  const bool may_take = sent && sent->outcome != OutcomeKind::refused &&
                        sent->payload == (*config)->digest && wanted.now - sent->at < kSettleTime;
  if (may_take) {
    return Wait{
        fmt::format("{} has the changed config and does not run it yet", node.node.value())};
  }
  const std::string from = tag_of_image(change.from);
  NodeCall apply{Call::apply_configuration, node.node, (*config)->digest,
                 fmt::format("{}: {} → {}", name_of(component), from.empty() ? "?" : from, target),
                 kNever};
  apply.no_reboot = true;
  apply.config = *std::move(config);
  return Act{std::move(apply)};
}

/// A component that does not come up is waited for, and named when its time is over.
Wait wait_for_component(const Wanted& wanted, const NodeView& node, KubeComponent component) {
  const std::string& name = node.node.value();
  const bool kubelet = component == KubeComponent::kubelet;
  return Wait{
      state_of(node, component), "U11",
      fmt::format("no other node is touched. See `talosctl -n {} logs {}{}`; when {} is well "
                  "there, `ichor upgrade-k8s` goes on",
                  name, kubelet ? "" : "-k kube-system/",
                  kubelet ? std::string("kubelet")
                          : fmt::format("{}-{}:{}", name_of(component), name, name_of(component)),
                  name_of(component)),
      wanted.profile.budgets.verify};
}

}  // namespace

Reads KubernetesCheck::reads() const {
  Reads reads = kReads;
  reads.kube_cluster = true;
  return reads;
}

namespace {

/// U12: the node runs another config than the profile's, besides the images that are about to
/// change.
std::optional<Finding> other_config(const Wanted& wanted, const NodeView& node,
                                    const KubernetesSettings& target) {
  const MachineConfig& whole = final_config(wanted, node.node);
  if (*node.config == whole.canonical) return std::nullopt;
  const auto changed = with_images(*node.config_text, target.images, whole.role);
  if (changed && changed->canonical == whole.canonical) return std::nullopt;
  return Finding{Severity::error,
                 "U12",
                 node.node,
                 "config",
                 fmt::format("{} runs a config that differs from the profile in more than the "
                             "version of Kubernetes",
                             node.node.value()),
                 "`ichor drift` shows what; put it into the profile, or take it back with `ichor "
                 "drift --fix` while kubernetes_version is still the old one, then upgrade"};
}

/// A config that names another version than the one that is wanted: a patch pins it.
std::optional<Finding> other_target(const KubernetesUpgrade& upgrade, const NodePlan& plan,
                                    const KubernetesSettings& target) {
  for (const KubeComponent component : kKubeComponents) {
    if (!runs_on(component, plan)) continue;
    const auto image = target.images.find(component);
    if (component == KubeComponent::proxy && image == target.images.end()) continue;
    const std::string named = image == target.images.end() ? "no image" : image->second;
    const auto version = kubernetes_version_in(named);
    if (version && *version == upgrade.target) continue;
    return Finding{
        Severity::error,
        "U9",
        plan.name,
        "config",
        fmt::format("the config of {} names {} for {}, not version {}", plan.name.value(), named,
                    name_of(component), to_text(upgrade.target)),
        "take the image out of the patches, or make it follow kubernetes_version"};
  }
  return std::nullopt;
}

}  // namespace

Decision KubernetesCheck::decide(const Wanted& wanted, const ClusterView& view) const {
  std::vector<Finding> found;
  std::optional<Decision> waits;
  for (const NodeView& node : view.nodes) {
    const NodePlan& plan = *wanted.profile.find(node.node);
    // The machine must be the one that bears the name, and known to the journal.
    Decision bound = Discover().decide(wanted, plan, node);
    std::optional<Decision> unseen;
    if (!std::holds_alternative<Satisfied>(bound)) unseen = std::move(bound);
    if (!unseen) unseen = not_seen(plan, node);
    if (unseen && !std::holds_alternative<Wait>(*unseen)) return *std::move(unseen);
    if (unseen) {
      if (!waits) waits = std::move(unseen);
      continue;
    }
    if (auto trouble = kubernetes_path_trouble(upgrade_, plan, node)) {
      found.push_back(*std::move(trouble));
      continue;
    }
    auto target = settings_of(node.node, final_config(wanted, node.node).bytes);
    if (!target) {
      found.push_back(std::move(target).error());
      continue;
    }
    if (auto pinned = other_target(upgrade_, plan, *target)) found.push_back(*std::move(pinned));
    if (auto other = other_config(wanted, node, *target)) found.push_back(*std::move(other));
    for (Finding& one : removed_settings(upgrade_.target, plan.name, *target)) {
      found.push_back(std::move(one));
    }
  }
  if (!waits && view.kube) {
    for (Finding& one :
         removed_api_uses(upgrade_.target, view.nodes.front(), view.kube->removed_apis)) {
      found.push_back(std::move(one));
    }
  }
  if (!found.empty()) {
    Stop stop{std::move(found.front()), true};
    stop.more.assign(std::move_iterator(found.begin() + 1), std::move_iterator(found.end()));
    return stop;
  }
  if (waits) return *std::move(waits);
  if (!view.kube) {
    return Wait{fmt::format("the Kubernetes API does not answer: {}", view.kube_trouble)};
  }
  return Satisfied{};
}

Reads PullKubernetes::reads() const { return kReads; }

Decision PullKubernetes::decide(const Wanted& wanted, const NodePlan& node,
                                const NodeView& view) const {
  if (auto unseen = not_seen(node, view)) return *std::move(unseen);
  NodeCall pull{Call::pull_image, node.name, {}, {}, kNever};
  std::string names;
  for (const KubeComponent component : kKubeComponents) {
    // The images of kube-proxy are for the DaemonSet to pull, node by node.
    if (!runs_on(component, node) || component == KubeComponent::proxy) continue;
    const auto change = image_change(wanted, view, component);
    if (!change) return Stop{change.error(), true};
    if (!change->due()) continue;
    const bool for_pods = component != KubeComponent::kubelet;
    pull.images.push_back({change->to, has_lifecycle(*view.version), for_pods});
    names += (names.empty() ? "" : ", ") + change->to;
  }
  if (pull.images.empty()) return Satisfied{{}, "its config names the new images"};
  pull.payload = pki::sha256(names);
  pull.why = names;
  const MutationFact* before = wanted.facts.last(Call::pull_image, node.name);
  const bool has_them = before && before->outcome == OutcomeKind::done &&
                        before->payload == pull.payload &&
                        before->mark == view.identity->boot_id.value();
  if (has_them) return Satisfied{{}, "the images are there"};
  return Act{std::move(pull)};
}

namespace {

/// No wait of a step that goes from node to node lasts longer than one node may take.
Decision bounded(Decision decision, const Wanted& wanted) {
  Wait* wait = std::get_if<Wait>(&decision);
  if (!wait || wait->limit != Duration::max()) return decision;
  wait->limit = wanted.profile.budgets.verify;
  if (wait->fault.empty()) wait->fault = "U11";
  if (wait->fix.empty()) wait->fix = "`ichor status` shows the nodes; `ichor upgrade-k8s` goes on";
  return decision;
}

}  // namespace

Reads UpgradeComponent::reads() const { return kReads; }

Duration UpgradeComponent::budget(const Budgets& budgets) const {
  // One node after another, each with its own limit; a large cluster has its hours.
  return budgets.verify * 64;
}

Decision UpgradeComponent::decide(const Wanted& wanted, const ClusterView& view) const {
  return bounded(next(wanted, view), wanted);
}

Decision UpgradeComponent::next(const Wanted& wanted, const ClusterView& view) const {
  const NodeView* next = nullptr;
  ImageChange due;
  const bool has_pod = component_ != KubeComponent::proxy;
  for (const NodeView& node : view.nodes) {
    const NodePlan& plan = *wanted.profile.find(node.node);
    if (!runs_on(component_, plan)) continue;
    if (auto unseen = not_seen(plan, node)) return *std::move(unseen);
    auto change = image_change(wanted, node, component_);
    if (!change) return Stop{std::move(change).error(), true};
    if (change->due() && !next) {
      next = &node;
      due = *std::move(change);
      continue;
    }
    // What was changed is finished before another one goes, also if only the registry changed.
    const auto pod = node.kube->components.find(std::string(name_of(component_)));
    const bool old_pod = pod != node.kube->components.end() && pod->second.image != change->to;
    const bool starting =
        has_pod && !change->due() && (old_pod || !runs_target(upgrade_, node, component_));
    if (starting) return wait_for_component(wanted, node, component_);
  }
  if (!next) return Satisfied{};
  for (const NodeView& node : view.nodes) {
    const NodePlan& plan = *wanted.profile.find(node.node);
    const bool counts = has_pod && runs_on(component_, plan);
    if (counts && !is_ready(node, component_)) {
      return wait_for_component(wanted, node, component_);
    }
    const bool serves = plan.role == Role::worker || is_ready(node, KubeComponent::api_server);
    if (!serves) return wait_for_component(wanted, node, KubeComponent::api_server);
  }
  return change_node(upgrade_, wanted, *next, component_, due);
}

Reads UpdateProxy::reads() const {
  Reads reads = kReads;
  reads.kube_cluster = true;
  return reads;
}

Decision UpdateProxy::decide(const Wanted& wanted, const ClusterView& view) const {
  if (!view.kube) {
    return Wait{fmt::format("the Kubernetes API does not answer: {}", view.kube_trouble)};
  }
  const KubeClusterView& kube = *view.kube;
  if (kube.proxy_uid.empty()) return Satisfied{{}, "there is no kube-proxy"};
  const NodeView& first = view.nodes.front();
  const NodePlan& plan = *wanted.profile.find(first.node);
  const auto target = settings_of(first.node, final_config(wanted, first.node).bytes);
  if (!target) return Stop{target.error(), true};
  const auto image = target->images.find(KubeComponent::proxy);
  if (target->proxy_disabled || image == target->images.end()) {
    return Satisfied{{}, "Talos does not manage kube-proxy"};
  }
  const auto runs = kubernetes_version_in(kube.proxy_image);
  const bool newer = runs && upgrade_.target < *runs && !upgrade_.target_given;
  if (!kube.proxy_owner.empty() || newer) {
    Finding note{
        Severity::note,
        "U14",
        {},
        "manifests",
        kube.proxy_owner.empty()
            ? fmt::format("kube-proxy runs {}, which is newer: it is left alone", to_text(*runs))
            : fmt::format("{} owns the DaemonSet kube-proxy: it is left alone", kube.proxy_owner),
        fmt::format("it runs {}; bring it to {} where it is managed", kube.proxy_image,
                    to_text(upgrade_.target))};
    if (runs && *runs == upgrade_.target) return Satisfied{};
    return Satisfied{{std::move(note)}, "kube-proxy is managed elsewhere"};
  }
  if (kube.proxy_image != image->second) {
    NodeCall update{Call::update_proxy, plan.name, pki::sha256(image->second),
                    fmt::format("kube-proxy: {} → {}", tag_of_image(kube.proxy_image),
                                to_text(upgrade_.target)),
                    kNever};
    update.upgrade.image = image->second;
    update.object_uid = kube.proxy_uid;
    return Act{std::move(update)};
  }
  for (const NodeView& node : view.nodes) {
    const bool there = node.kube && node.kube->components.contains("kube-proxy");
    if (there && !runs_target(upgrade_, node, KubeComponent::proxy)) {
      return wait_for_component(wanted, node, KubeComponent::proxy);
    }
  }
  return Satisfied{};
}

Reads KubernetesUpgraded::reads() const { return kReads; }

Decision KubernetesUpgraded::decide(const Wanted& wanted, const ClusterView& view) const {
  for (const NodeView& node : view.nodes) {
    const NodePlan& plan = *wanted.profile.find(node.node);
    if (auto unseen = not_seen(plan, node)) return *std::move(unseen);
    for (const KubeComponent component : kKubeComponents) {
      if (!runs_on(component, plan) || component == KubeComponent::proxy) continue;
      if (!runs_target(upgrade_, node, component)) {
        return wait_for_component(wanted, node, component);
      }
    }
    if (!reached_goal(wanted.profile, *node.status)) {
      return Wait{fmt::format("{} is {}", plan.name.value(), to_text(*node.status))};
    }
    const bool as_planned = *node.config == final_config(wanted, node.node).canonical;
    if (as_planned && !wanted.facts.confirmed(plan.name)) {
      return Remember{observed(kSettledKey, {}, plan.name)};
    }
  }
  const std::string target = to_text(upgrade_.target);
  if (wanted.facts.kubernetes_open()) return Remember{observed(kKubernetesDoneKey, target)};
  return Satisfied{};
}

std::vector<Step> upgrade_k8s_steps(const KubernetesUpgrade& upgrade) {
  using enum Milestone;
  std::vector<Step> steps{
      // Nothing is changed for an upgrade that would be refused halfway.
      {std::make_shared<KubernetesCheck>(upgrade), Who::cluster, none, upgrade_checked, false},
      // On all nodes before the first component stops: an image that is missing is found here.
      {std::make_shared<PullKubernetes>(upgrade), Who::every_node, upgrade_checked, images_pulled,
       true},
  };
  // API servers first: no component may be newer than its API server. Kubelets last.
  for (const KubeComponent component : kKubeComponents) {
    steps.push_back({std::make_shared<UpgradeComponent>(upgrade, component), Who::cluster,
                     images_pulled, none, false});
  }
  // When everything that reads it runs the new version.
  steps.push_back(
      {std::make_shared<UpdateProxy>(upgrade), Who::cluster, images_pulled, none, false});
  steps.push_back(
      {std::make_shared<KubernetesUpgraded>(upgrade), Who::cluster, images_pulled, none, false});
  return steps;
}

}  // namespace ichor
