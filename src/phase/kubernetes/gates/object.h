#pragma once

#include <string>

#include "phase/kubernetes/gate.h"

namespace ichor {

/// What `ichor wait object` may wait for. No row of the table: it is named on the command line.
struct ObjectCondition {
  enum class For { ready, exists, deleted, condition };
  For what{For::ready};
  std::string condition;
  std::string status{"True"};
};
Gate object_gate(const KubeRef& ref, const ObjectCondition& condition);

}  // namespace ichor
