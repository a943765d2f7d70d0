#pragma once

#include "cli/command_line.h"
#include "command/desk.h"
#include "model/run_result.h"

namespace ichor {

/// Does what was asked for. One file of this folder for each kind of request.
Exit run_command(const Invocation& invocation, Desk& desk);

Exit run(const SimulateRequest& request, const CommonOptions& common, Desk& desk);
Exit run(const CompletionRequest& request, const CommonOptions& common, Desk& desk);
Exit run(const VersionRequest& request, const CommonOptions& common, Desk& desk);

}  // namespace ichor
