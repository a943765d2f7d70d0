#pragma once

#include "model/run_result.h"

namespace ichor {

/// An error that ended a command before there was a finding gets the row that it carries, or the
/// one that the words of a disk, a library or another program lead to, so that all trouble can be
/// looked up alike.
void name_fault(RunResult& result);

}  // namespace ichor
