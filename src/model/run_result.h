#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fault_id.h"
#include "base/time.h"
#include "model/finding.h"
#include "model/ids.h"
#include "model/node.h"

namespace ichor {

/// Exit codes as design.md spells them.
enum class Exit : int {
  done = 0,
  failed = 1,
  changes_pending = 2,
  findings = 3,
  out_of_time = 4,
  unsafe = 5,
  cni_pending = 6,
  usage = 64,
  interrupted = 130,
  terminated = 143,
};

/// How one step of one actor ended. The last two end Kubernetes phases only: the CNI is still to
/// come from elsewhere, or a program that the phase runs is not installed.
enum class StepEnd {
  passed,
  failed,
  out_of_time,
  unsafe,
  cancelled,
  blocked,
  cni_pending,
  missing_tool
};

struct NodeResult {
  NodeName node;
  StepEnd end{StepEnd::blocked};
  std::string phase;  // the last one entered
  Stage stage{Stage::unknown};
  int retries{0};
  std::string reason;  // why it did not pass
};

/// What a run came to. Never success unless every postcondition was seen true at the end.
struct RunResult {
  Exit exit{Exit::failed};
  std::string verdict;  // one sentence
  FaultId fault{};      // of an end that has no findings
  std::vector<NodeResult> nodes;
  std::vector<Finding> findings;
  int mutations{0};        // mutating calls sent
  bool api_proved{false};  // the Kubernetes API answered through the kubeconfig of this run
  Duration elapsed{};
};

}  // namespace ichor
