#include "phase/verify.h"

#include <algorithm>
#include <fmt/format.h>

namespace ichor {

bool reached_goal(const ClusterProfile& profile, const MachineStatus& status) {
  if (status.stage != Stage::running) return false;
  if (status.ready) return true;
  // Without a CNI no node becomes Ready; the Kubernetes phases install one.
  return profile.talos.cni_none && !status.unmet.empty() &&
         std::all_of(status.unmet.begin(), status.unmet.end(),
                     [](const UnmetCondition& unmet) { return unmet.name == "nodeReady"; });
}

std::string to_text(const MachineStatus& status) {
  std::string text(name_of(status.stage));
  for (const UnmetCondition& unmet : status.unmet) {
    text += fmt::format("; unmet: {} ({})", unmet.name, unmet.reason);
  }
  return text;
}

Decision Verify::decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const {
  if (auto decided = decide_presence(plan, view)) return *std::move(decided);
  if (!view.status) return wait_for_node(plan, view);
  if (view.presence == Presence::maintenance) {
    return Stop{Finding{Severity::error, "T2", plan.name, "stage",
                        fmt::format("{} is back in maintenance mode", plan.name.value()),
                        "run `ichor up` again: it looks at the node again"}};
  }
  const auto config = wanted.configs.nodes.find(plan.name);
  if (view.config && config != wanted.configs.nodes.end() &&
      *view.config != config->second.canonical) {
    return Stop{Finding{Severity::error, "O4", plan.name, "config",
                        fmt::format("another user changed the config of {}", plan.name.value()),
                        "see `ichor machineconfig diff`"},
                true};
  }
  if (reached_goal(wanted.profile, *view.status)) return Satisfied{};
  return Wait{fmt::format("{} is {}", plan.name.value(), to_text(*view.status))};
}

}  // namespace ichor
