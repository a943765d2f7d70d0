#include "phase/apply.h"

#include <fmt/format.h>

#include "base/check.h"
#include "machineconfig/kubernetes_images.h"
#include "phase/configured.h"
#include "phase/discover.h"
#include "phase/maintenance_key.h"
#include "phase/unattended_install.h"
#include "profile/formats.h"

namespace ichor {

namespace {

/// L6: a cluster is there that this journal has not made. It is looked at, but not changed.
std::optional<Stop> older_than_journal(const Wanted& wanted, const NodeName& node) {
  if (wanted.facts.adopted()) return std::nullopt;
  std::string running;
  for (const NodePlan& other : wanted.profile.nodes) {
    if (!wanted.facts.found_running(other.name)) continue;
    running += (running.empty() ? "" : ", ") + other.name.value();
  }
  if (running.empty()) return std::nullopt;
  return Stop{Finding{Severity::error, "L6", node, "journal",
                      fmt::format("the cluster is older than its journal: {} already ran when the "
                                  "journal was created",
                                  running),
                      "restore the lost state folder; or confirm that you continue with this one: "
                      "`ichor up --adopt`"},
              true};
}

Stop other_kubernetes(const NodeName& node, std::string what, std::string fix) {
  return Stop{Finding{Severity::error, "U13", node, "kubernetes", std::move(what), std::move(fix)},
              true};
}

/// The version that the config makes the node run: a profile without one takes a default.
std::optional<TalosVersion> kubernetes_of(const Wanted& wanted, const MachineConfig& config) {
  const auto settings = read_kubernetes(config.bytes);
  if (settings && settings->images.contains(KubeComponent::kubelet)) {
    const std::string& image = settings->images.at(KubeComponent::kubelet);
    if (auto version = parse_version(tag_of_image(image))) return version;
  }
  return parse_version(wanted.profile.talos.kubernetes_version);
}

}  // namespace

std::optional<Stop> other_than_upgraded(const Wanted& wanted, const NodeName& node,
                                        const MachineConfig& config) {
  const std::string& upgraded = wanted.facts.kubernetes();
  const auto runs = parse_version(upgraded);
  if (!runs) return std::nullopt;
  const auto says = kubernetes_of(wanted, config);
  const std::string version = says ? to_text(*says) : "an unknown version";
  if (!says || *says < *runs) {
    return other_kubernetes(node,
                            fmt::format("the config of {} is for Kubernetes {}, and `ichor "
                                        "upgrade-k8s` brought the cluster to {}",
                                        node.value(), version, upgraded),
                            fmt::format("set kubernetes_version: {} in the profile", upgraded));
  }
  if (*runs < *says) {
    return other_kubernetes(
        node,
        fmt::format("the profile says Kubernetes {}, and the cluster runs {}", version, upgraded),
        fmt::format("`ichor upgrade-k8s --to {}` goes there, one node at a time", version));
  }
  return std::nullopt;
}

namespace {

/// U13: what `ichor upgrade-k8s` did is never undone, and never overtaken, by applying the profile.
std::optional<Stop> disturbs_upgrade(const Wanted& wanted, const NodeName& node,
                                     const MachineConfig& config) {
  if (auto other = other_than_upgraded(wanted, node, config)) return other;
  const JournalFacts& facts = wanted.facts;
  if (!facts.kubernetes_open()) return std::nullopt;
  return other_kubernetes(
      node, fmt::format("the upgrade of Kubernetes to {} is not finished", facts.kubernetes()),
      fmt::format("`ichor upgrade-k8s --to {}` goes on, one node at a time", facts.kubernetes()));
}

/// Talos makes a new maintenance key when its clock is set, so another key is no proof of another
/// boot. No machine boots in less than this, and a config that was taken shows by then.
constexpr Duration kNewKeyTime = std::chrono::seconds(20);

Decision decide_in_maintenance(const Wanted& wanted, const NodePlan& plan, const NodeView& view,
                               const MachineConfig& config) {
  if (wanted.facts.settled(plan.name)) {
    return Stop{fallen_back(plan.name, view.address, "stage"), true};
  }
  // A look that was not answered is no look: it cannot tell that an earlier config did not take.
  if (!view.identity || !view.status) return wait_for_node(plan, view);
  if (auto decided = decide_key(wanted, plan, view)) return *std::move(decided);
  const MutationFact* sent = wanted.facts.last(Call::apply_configuration, plan.name);
  const bool same_boot = sent && sent->mark == view.fingerprint.value();
  const bool not_refused = sent && sent->outcome != OutcomeKind::refused;
  const bool may_have_landed = same_boot && not_refused;
  const Duration patience = same_boot ? kSettleTime : kNewKeyTime;
  if (not_refused && wanted.now - sent->at < patience) {
    return Wait{
        fmt::format("{} has the config and has not left maintenance mode yet", plan.name.value())};
  }
  std::string why = "in maintenance mode, no config yet";
  if (sent) {
    why = may_have_landed ? "the config sent before had no effect"
                          : "back in maintenance mode after a new boot";
  }
  if (auto stop = older_than_journal(wanted, plan.name)) return *std::move(stop);
  // In the middle of an upgrade, too: nothing but its config brings such a node back.
  if (auto stop = other_than_upgraded(wanted, plan.name, config)) return *std::move(stop);
  return Act{NodeCall{Call::apply_configuration, plan.name, config.digest, std::move(why), kNever}};
}

/// D2: before 1.13 Talos closes its port while it installs. A node that accepted its config and
/// refuses connections since then installs, or cannot; only its console says which.
std::optional<Wait> installs_unseen(const Wanted& wanted, const NodePlan& plan,
                                    const NodeView& view) {
  const MutationFact* sent = wanted.facts.last(Call::apply_configuration, plan.name);
  const bool refuses = view.presence == Presence::silent && view.trouble &&
                       view.trouble->progress == Progress::not_sent &&
                       view.trouble->code == Code::unavailable;
  const bool took_it = sent && sent->outcome == OutcomeKind::done;
  if (!refuses || !took_it || wanted.facts.settled(plan.name)) return std::nullopt;
  const std::string& name = plan.name.value();
  return Wait{
      fmt::format("{} is installing; its API is offline: {}", name, to_text(*view.trouble)), "D2",
      fmt::format(
          "look at the console of {}: it says if the installer image cannot be pulled. Check "
          "the registry, talos.installer_image and the schematic; then `ichor up` continues",
          name)};
}

/// O3: the node was sent another config than the profile leads to now, or the changed one has not
/// taken. Nothing if the difference is not of our making.
std::optional<Decision> decide_edit(const Wanted& wanted, const NodePlan& plan,
                                    const NodeView& view, const MachineConfig& config) {
  const MutationFact* sent = wanted.facts.last(Call::apply_configuration, plan.name);
  if (!sent || sent->payload.empty()) return std::nullopt;
  const std::string& name = plan.name.value();
  const bool edited = sent->payload != config.digest;
  const bool may_take = !edited && sent->outcome != OutcomeKind::refused;
  // One that ran it and runs another now was changed outside ichor.
  const bool awaited = wanted.facts.settled(plan.name) && !wanted.facts.confirmed(plan.name);
  if (may_take && wanted.now - sent->at < kSettleTime && awaited) {
    return Wait{fmt::format("{} has the changed config and does not run it yet", name)};
  }
  const bool lost = sent->outcome != OutcomeKind::done && awaited;
  if (!edited && !lost) return std::nullopt;
  const Stage stage = view.status->stage;
  if (stage != Stage::booting && stage != Stage::running) {
    return Wait{fmt::format("{} is {}", name, name_of(stage))};
  }
  NodeCall action{Call::apply_configuration, plan.name, config.digest,
                  "the profile was edited after the node got its config", kNever};
  // Once there may be an etcd, a reboot costs a member or a workload: only what needs none is done.
  const bool no_etcd = plan.role == Role::worker || view.etcd.has_data == Known::no;
  action.no_reboot = !no_etcd || may_have_etcd(wanted.profile, wanted.facts);
  return Act{std::move(action)};
}

/// The profile's config, for a node that was changed outside ichor. Never with a reboot.
Decision take_back(const Wanted& wanted, const NodePlan& plan, const NodeView& view,
                   const MachineConfig& config) {
  const MutationFact* sent = wanted.facts.last(Call::apply_configuration, plan.name);
  const bool may_take = sent && sent->outcome != OutcomeKind::refused;
  const bool again = may_take && !wanted.facts.confirmed(plan.name);
  if (again && wanted.now - sent->at < kSettleTime) {
    return Wait{fmt::format("{} has the config and does not run it yet", plan.name.value())};
  }
  const Stage stage = view.status->stage;
  if (stage != Stage::booting && stage != Stage::running) {
    return Wait{fmt::format("{} is {}", plan.name.value(), name_of(stage))};
  }
  NodeCall action{Call::apply_configuration, plan.name, config.digest,
                  "the node was changed outside ichor", kNever};
  action.no_reboot = true;
  return Act{std::move(action)};
}

/// The node runs a config of this cluster that neither this profile nor an earlier one led to.
Stop other_config(const Wanted& wanted, const NodePlan& plan) {
  const MutationFact* sent = wanted.facts.last(Call::apply_configuration, plan.name);
  return Stop{
      Finding{Severity::error, sent ? "O4" : "T4", plan.name, "config",
              fmt::format("{} runs another config of this cluster", plan.name.value()),
              fmt::format("see `ichor machineconfig diff`; put the change into the profile, "
                          "or take it back with `talosctl -n {} apply-config`",
                          plan.address.value())},
      true};
}

}  // namespace

Decision ApplyEdits::decide(const Wanted& wanted, const NodePlan& plan,
                            const NodeView& view) const {
  const bool seen = view.presence == Presence::configured && view.status && view.config;
  if (!seen || may_have_etcd(wanted.profile, wanted.facts)) return Satisfied{};
  const auto config = wanted.configs.nodes.find(plan.name);
  check(config != wanted.configs.nodes.end(), "every node of the plan has a config");
  if (*view.config == config->second.canonical) return Satisfied{};
  return decide_edit(wanted, plan, view, config->second).value_or(Satisfied{});
}

Decision Apply::decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const {
  if (auto wait = installs_unseen(wanted, plan, view)) return *std::move(wait);
  if (auto decided = decide_presence(plan, view)) return *std::move(decided);
  const auto found = wanted.configs.nodes.find(plan.name);
  check(found != wanted.configs.nodes.end(), "every node of the plan has a config");
  const MachineConfig& config = found->second;
  if (view.presence == Presence::maintenance) {
    return decide_in_maintenance(wanted, plan, view, config);
  }
  if (!view.config_read || !view.status) return wait_for_node(plan, view);
  if (!view.config) return Wait{fmt::format("{} loads its config", plan.name.value())};
  if (*view.config != config.canonical) {
    if (auto stop = disturbs_upgrade(wanted, plan.name, config)) return *std::move(stop);
    if (auto edit = decide_edit(wanted, plan, view, config)) return *std::move(edit);
    if (foreign_ == Foreign::overwrite) return take_back(wanted, plan, view, config);
    return other_config(wanted, plan);
  }
  const Stage stage = view.status->stage;
  if (stage != Stage::booting && stage != Stage::running) {
    return Wait{fmt::format("{} is {}", plan.name.value(), name_of(stage))};
  }
  if (auto wait = wait_for_install(plan, view)) return *std::move(wait);
  if (!wanted.facts.confirmed(plan.name)) {
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.node = plan.name;
    record.key = kSettledKey;
    return Remember{std::move(record)};
  }
  return Satisfied{};
}

}  // namespace ichor
