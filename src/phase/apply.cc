#include "phase/apply.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/mutant.h"

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
                      fmt::format("the cluster is older than its journal: {} ran already when it "
                                  "was begun",
                                  running),
                      "put the lost state folder back; or go on with this one by your word: "
                      "`ichor up --adopt`"},
              true};
}

/// Talos makes a new maintenance key when its clock is set, so another key is no proof of another
/// boot. No machine boots in less than this, and a config that was taken shows by then.
constexpr Duration kNewKeyTime = std::chrono::seconds(20);

Decision decide_in_maintenance(const Wanted& wanted, const NodePlan& plan, const NodeView& view,
                               const MachineConfig& config) {
  if (wanted.facts.settled(plan.name)) {
    return Stop{Finding{Severity::error, "T2", plan.name, "stage",
                        fmt::format("{} fell back to maintenance mode after its install",
                                    plan.name.value()),
                        fmt::format("look at its console: if it booted from an ISO or the network, "
                                    "boot it from its disk again, nothing is lost; if it was wiped "
                                    "on purpose, `ichor reset {}` tells the journal",
                                    plan.name.value())},
                true};
  }
  // A look that was not answered is no look: it cannot tell that an earlier config did not take.
  if (!view.identity || !view.status) return wait_for_node(plan, view);
  const MutationFact* sent = wanted.facts.last(Call::apply_configuration, plan.name);
  const bool same_boot = sent && sent->mark == view.fingerprint.value();
  const bool not_refused = sent && sent->outcome != OutcomeKind::refused;
  const bool may_have_landed = same_boot && not_refused;
  const Duration patience = same_boot ? kSettleTime : kNewKeyTime;
  if (not_refused && wanted.now - sent->at < patience && !mutant("apply-without-patience")) {
    return Wait{
        fmt::format("{} has the config and has not left maintenance mode yet", plan.name.value())};
  }
  std::string why = "in maintenance mode, no config yet";
  if (sent) {
    why = may_have_landed ? "the config sent before did not take"
                          : "back in maintenance mode after a new boot";
  }
  if (auto stop = older_than_journal(wanted, plan.name)) return *std::move(stop);
  return Act{Action{Call::apply_configuration, plan.name, config.digest, std::move(why), kNever}};
}

/// The node runs a config of this cluster that is not the one to be sent.
Stop other_config(const Wanted& wanted, const NodePlan& plan, const MachineConfig& config) {
  const std::string& name = plan.name.value();
  const MutationFact* sent = wanted.facts.last(Call::apply_configuration, plan.name);
  if (sent && !sent->payload.empty() && sent->payload != config.digest) {
    return Stop{Finding{Severity::error, "O3", plan.name, "config",
                        fmt::format("the profile was edited after {} got its config", name),
                        fmt::format("ichor does not change live nodes: put the profile back, use "
                                    "`talosctl -n {} apply-config`, or `ichor reset {}` and "
                                    "install it anew",
                                    plan.address.value(), name)},
                true};
  }
  return Stop{Finding{Severity::error, sent ? "O4" : "T4", plan.name, "config",
                      fmt::format("{} runs another config of this cluster", name),
                      "see `ichor machineconfig diff`; ichor does not change live nodes: use "
                      "talosctl apply-config, or put the profile back"},
              true};
}

}  // namespace

Decision Apply::decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const {
  if (auto decided = decide_presence(plan, view)) return *std::move(decided);
  const auto found = wanted.configs.nodes.find(plan.name);
  check(found != wanted.configs.nodes.end(), "every node of the plan has a config");
  const MachineConfig& config = found->second;
  if (view.presence == Presence::maintenance) {
    return decide_in_maintenance(wanted, plan, view, config);
  }
  if (!view.config_read || !view.status) return wait_for_node(plan, view);
  if (!view.config) return Wait{fmt::format("{} loads its config", plan.name.value())};
  if (*view.config != config.canonical && !mutant("any-config-will-do")) {
    return other_config(wanted, plan, config);
  }
  const Stage stage = view.status->stage;
  if (stage != Stage::booting && stage != Stage::running) {
    return Wait{fmt::format("{} is {}", plan.name.value(), name_of(stage))};
  }
  if (!wanted.facts.settled(plan.name)) {
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.node = plan.name;
    record.key = kSettledKey;
    return Remember{std::move(record)};
  }
  return Satisfied{};
}

}  // namespace ichor
