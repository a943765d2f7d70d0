#pragma once

#include "cluster/profile_input.h"
#include "cluster/workspace.h"
#include "port/host.h"
#include "run/engine_run.h"
#include "run/finish.h"
#include "run/plan_sheet.h"
#include "run/run_target.h"

namespace ichor {

/// Runs some phases of the sequence on the profile's cluster, or with dry_run only plans them.
Exit run_phases(const CommonOptions& common, const RunOptions& run, const EngineOptions& options,
                Host& host);

}  // namespace ichor
