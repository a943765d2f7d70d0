#include "phase/preflight.h"

#include <fmt/format.h>

#include "phase/preflight_checks.h"
#include "phase/stranger.h"

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

/// Going on would do harm, not only fail.
bool is_refusal(const Finding& finding) {
  return finding.id == "D3" || finding.id == "D4" || finding.id == "D8" || finding.id == "O2" ||
         finding.id == "T2";
}

}  // namespace

Decision Preflight::decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const {
  if (view.presence == Presence::stranger && view.identity) {
    return Stop{stranger_finding(wanted.profile, plan, view), true};
  }
  if (auto decided = decide_presence(plan, view)) return *std::move(decided);
  // What a node does not serve is no trouble; what could not be asked is, and is asked again.
  const bool asked = view.version && view.disks && view.hardware && view.time_synced;
  if (!view.status || (view.trouble && !asked)) return wait_for_node(plan, view);
  if (!usable(view.status->stage)) {
    return Wait{fmt::format("{} is {}", plan.name.value(), name_of(view.status->stage))};
  }
  Satisfied fine;
  Stop stop;
  for (Check& check : preflight_checks(wanted, plan, view)) {
    if (check.verdict == Verdict::warning) fine.notes.push_back(std::move(check.finding));
    if (check.verdict != Verdict::failed) continue;
    stop.unsafe = stop.unsafe || is_refusal(check.finding);
    if (stop.finding.what.empty()) {
      stop.finding = std::move(check.finding);
    } else {
      stop.more.push_back(std::move(check.finding));
    }
  }
  if (!stop.finding.what.empty()) return stop;
  return fine;
}

}  // namespace ichor
