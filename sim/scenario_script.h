#pragma once

#include <memory>

#include "sim/faults/fault.h"
#include "sim/scenario.h"

namespace ichor::sim {

/// A scenario's own faults: its rules for calls, what happens in it, and its odd machines. The
/// scenario must outlive it.
std::unique_ptr<Fault> make_script(const Scenario& scenario);

}  // namespace ichor::sim
