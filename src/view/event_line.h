#pragma once

#include <string>

#include "model/event.h"

namespace ichor {

/// An event as one clean line: "+12.3s cp1: apply waits: cp1 is installing".
std::string event_line(const Event& event, MonoTime run_started);

/// Whether the line should stay on a terminal where the board shows the present: changes that were
/// made, milestones, failures.
bool is_lasting(EventKind kind);

}  // namespace ichor
