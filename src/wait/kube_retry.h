#pragma once

#include <string_view>

#include "model/call.h"
#include "wait/retry_table.h"

namespace ichor {

/// What to do about a call to the Kubernetes API that failed. All of ours may be repeated, so a
/// lost reply is no reason to stop.
struct KubeVerdict {
  Reaction reaction{Reaction::retry};
  std::string_view fault;  // row of the fault catalogue
  std::string_view hint;   // what the operator can do
};

KubeVerdict judge_kube(const CallError& error);

}  // namespace ichor
