#include "phase/kubernetes/phase_run.h"

#include <algorithm>
#include <iterator>

namespace ichor {

namespace {

/// For a look after time was up.
constexpr Duration kLastLook = std::chrono::seconds(10);

}  // namespace

std::string_view result_word(StepEnd end) {
  switch (end) {
    case StepEnd::passed: return "done";
    case StepEnd::cni_pending: return "cni-pending";
    case StepEnd::out_of_time: return "out-of-time";
    case StepEnd::failed: return "failed";
    case StepEnd::unsafe: return "unsafe";
    case StepEnd::blocked: return "blocked";
    case StepEnd::missing_tool: return "missing-tool";
    case StepEnd::cancelled: return "cancelled";
  }
  return "?";
}

void PhaseReport::worsen(StepEnd to) {
  constexpr StepEnd order[] = {StepEnd::passed,       StepEnd::cni_pending, StepEnd::out_of_time,
                               StepEnd::blocked,      StepEnd::failed,      StepEnd::unsafe,
                               StepEnd::missing_tool, StepEnd::cancelled};
  const auto rank = [&order](StepEnd one) { return std::find(order, std::end(order), one); };
  if (rank(to) > rank(end)) end = to;
}

int PhaseReport::changed() const {
  return static_cast<int>(std::count_if(
      objects.begin(), objects.end(), [](const auto& object) { return object.change != "none"; }));
}

int PhaseReport::unchanged() const { return static_cast<int>(objects.size()) - changed(); }

void PhaseRun::say(EventKind kind, std::string text, int attempt) const {
  Event event;
  event.kind = kind;
  event.at = world.clock.now();
  event.phase = report.name;
  event.text = std::move(text);
  event.attempt = attempt;
  world.events.emit(event);
}

void PhaseRun::stop_at(const std::string& gate, Unmet unmet, StepEnd end) {
  report.worsen(end);
  const auto known = std::find_if(report.unmet.begin(), report.unmet.end(), [&](const auto& one) {
    return one.second.object == unmet.object && one.second.reason == unmet.reason;
  });
  if (known == report.unmet.end()) report.unmet.emplace_back(gate, std::move(unmet));
}

void PhaseRun::stop(Unmet unmet, StepEnd end) {
  stop_at(std::string(report.name), std::move(unmet), end);
}

void PhaseRun::warn(Unmet unmet) {
  Finding finding = finding_of(unmet, report.name);
  finding.severity = Severity::warning;
  report.findings.push_back(std::move(finding));
}

Task<bool> pass(Context context, PhaseRun& run, Gate gate) {
  GateEnd end = co_await wait_for(context, run.place(), gate);
  if (end.holds()) co_return true;
  if (end.cancelled) {
    run.report.worsen(StepEnd::cancelled);
    co_return false;
  }
  for (Unmet& unmet : end.unmet) {
    run.stop_at(gate.name, std::move(unmet), end.refused ? StepEnd::failed : StepEnd::out_of_time);
  }
  co_return false;
}

Task<void> pass_beside(Context context, PhaseRun& run, Gate gate) {
  co_await pass(context, run, std::move(gate));
}

Task<void> explain(PhaseRun& run, Context context, Gate gate) {
  if (context.cancelled()) co_return;
  gate.once = true;
  const Context late{context.clock, context.scope, later(context.now(), kLastLook)};
  GateEnd end = co_await wait_for(late, run.place(), gate);
  for (Unmet& unmet : end.unmet) {
    run.stop_at(gate.name, std::move(unmet), StepEnd::out_of_time);
  }
}

}  // namespace ichor
