#pragma once

#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "phase/kubernetes/phase_run.h"

namespace ichor {

/// Makes objects as they are wanted, several at a time: each is compared with what a dry run of the
/// same apply gives, and sent only where that differs. In a dry run nothing is sent. False if one
/// of them could not be had; the report names it.
Task<bool> ensure(Context context, PhaseRun& run, const std::vector<KubeObject>& objects);

}  // namespace ichor
