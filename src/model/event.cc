#include "model/event.h"

namespace ichor {

std::string_view name_of(EventKind kind) {
  switch (kind) {
    case EventKind::run_started: return "run-started";
    case EventKind::phase_started: return "phase-started";
    case EventKind::waiting: return "waiting";
    case EventKind::decided: return "decided";
    case EventKind::acted: return "acted";
    case EventKind::retrying: return "retrying";
    case EventKind::phase_done: return "phase-done";
    case EventKind::phase_failed: return "phase-failed";
    case EventKind::stage_changed: return "stage-changed";
    case EventKind::barrier_opened: return "barrier-opened";
    case EventKind::barrier_broken: return "barrier-broken";
    case EventKind::finding: return "finding";
    case EventKind::run_ended: return "run-ended";
    case EventKind::blocked: return "blocked";
  }
  return "?";
}

}  // namespace ichor
