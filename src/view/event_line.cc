#include "view/event_line.h"

#include <fmt/format.h>

#include "view/cells.h"

namespace ichor {

namespace {

std::string said(const Event& event) {
  const std::string_view phase = event.phase;
  switch (event.kind) {
    case EventKind::run_started: return fmt::format("run of {} begins", event.text);
    case EventKind::phase_started: return fmt::format("{} begins", phase);
    case EventKind::waiting: return fmt::format("{} waits: {}", phase, event.text);
    case EventKind::decided: return fmt::format("{} acts: {}", phase, event.text);
    case EventKind::acted: return fmt::format("{}: {}", phase, event.text);
    case EventKind::retrying:
      return fmt::format("{} retry {}: {}", phase, event.attempt, event.text);
    case EventKind::phase_done:
      return event.text.starts_with("skipped") ? fmt::format("{} {}", phase, event.text)
                                               : fmt::format("{} done", phase);
    case EventKind::phase_failed: return fmt::format("{} FAILED: {}", phase, event.text);
    case EventKind::stage_changed: return fmt::format("stage {}", event.text);
    case EventKind::barrier_opened: return fmt::format("reached: {}", event.text);
    case EventKind::barrier_broken: return fmt::format("will not be reached: {}", event.text);
    case EventKind::finding: return fmt::format("finding: {}", event.text);
    case EventKind::run_ended: return fmt::format("run ends: {}", event.text);
    case EventKind::blocked: return fmt::format("{} is blocked: {}", phase, event.text);
  }
  return event.text;
}

}  // namespace

std::string event_line(const Event& event, MonoTime run_started) {
  const double seconds = std::chrono::duration<double>(event.at - run_started).count();
  const std::string& node = event.node.value();
  return clean(fmt::format("+{:.1f}s {}{}", seconds, node.empty() ? "" : node + ": ", said(event)));
}

bool is_lasting(EventKind kind) {
  switch (kind) {
    case EventKind::acted:
    case EventKind::phase_failed:
    case EventKind::barrier_opened:
    case EventKind::finding: return true;
    case EventKind::run_started:
    case EventKind::phase_started:
    case EventKind::waiting:
    case EventKind::decided:
    case EventKind::retrying:
    case EventKind::phase_done:
    case EventKind::stage_changed:
    case EventKind::barrier_broken:
    case EventKind::blocked:
    case EventKind::run_ended: return false;
  }
  return false;
}

}  // namespace ichor
