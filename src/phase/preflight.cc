#include "phase/preflight.h"

#include <fmt/format.h>

namespace ichor {

namespace {

bool usable(Stage stage) {
  switch (stage) {
    case Stage::maintenance:
    case Stage::installing:
    case Stage::booting:
    case Stage::running: return true;
    case Stage::unknown:
    case Stage::rebooting:
    case Stage::shutting_down:
    case Stage::resetting:
    case Stage::upgrading: return false;
  }
  return false;
}

}  // namespace

Decision Preflight::decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const {
  if (auto decided = decide_presence(plan, view)) return *std::move(decided);
  if (view.presence == Presence::maintenance && wanted.facts.settled(plan.name)) {
    return Stop{Finding{Severity::error, "T2", plan.name, "stage",
                        fmt::format("{} is in maintenance mode although it had been installed",
                                    plan.name.value()),
                        "if it was reset on purpose, run `ichor reset` on it so that the journal "
                        "knows; otherwise find out who answers at its address"},
                true};
  }
  if (!view.status) return wait_for_node(plan, view);
  if (!usable(view.status->stage)) {
    return Wait{fmt::format("{} is {}", plan.name.value(), name_of(view.status->stage))};
  }
  return Satisfied{};
}

}  // namespace ichor
