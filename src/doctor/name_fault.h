#pragma once

#include "model/run_result.h"

namespace ichor {

/// An error that ended a command before anybody made a finding of it gets the row that its words
/// lead to, so that all trouble can be looked up alike.
void name_fault(RunResult& result);

}  // namespace ichor
