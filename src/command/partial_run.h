#pragma once

#include "command/desk.h"
#include "command/engine_run.h"
#include "command/finish.h"
#include "command/ground.h"
#include "command/plan_sheet.h"
#include "command/profile_input.h"
#include "command/workspace.h"

namespace ichor {

/// Runs some phases of the sequence on the profile's cluster, or with dry_run only plans them.
Exit run_phases(const CommonOptions& common, const ProfileWish& profile, const RunWish& wish,
                Desk& desk);

}  // namespace ichor
