#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/profile_input.h"
#include "model/run_result.h"
#include "port/terminal.h"

namespace ichor {

/// Shows how a command ended and gives its exit code.
Exit finish(Summary summary, Terminal& terminal);
Exit finish(RunResult result, Terminal& terminal);
/// The same for a command whose standard output is a text of its own.
Exit finish_aside(RunResult result, Terminal& terminal);

/// A summary about the profile's cluster, with the profile's warnings before the run's findings.
Summary summary_of(const ProfileInput& input, RunResult result);

}  // namespace ichor
