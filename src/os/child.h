#pragma once

#include <string>

#include "base/result.h"
#include "port/process.h"

namespace ichor {

/// Where a program is looked for and what it sees besides the variables of its call.
struct ChildPlace {
  std::string path;  // PATH; only its absolute entries count
  std::string home;  // HOME
};

/// Runs a program to its end, for those who have no loop that runs: LoopProcesses on a loop of its
/// own, so with the same filtered environment, the same limits, its own process group and clean
/// words on its standard error. SIGINT and SIGTERM end the program and then this process, so there
/// must be no other StopSignals meanwhile. `call.program` is absolute, or a name that PATH leads
/// to. Errc::invalid if there is no such program, out_of_time and io as Processes::run().
Result<ProcessResult> run_child(ProcessCall call, const ChildPlace& place);

}  // namespace ichor
