#pragma once

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "model/unmet.h"
#include "phase/kubernetes/gate_table.h"

namespace ichor {

/// What gates ask for, and how they put verdicts together.

inline const KubeKind kNode{"", "v1", "Node"};
inline const KubeKind kPod{"", "v1", "Pod"};
inline const KubeKind kDeployment{"apps", "v1", "Deployment"};
inline const KubeKind kDaemonSet{"apps", "v1", "DaemonSet"};

inline KubeQuery all_of(const KubeKind& kind) { return {kind, {}, {}, {}}; }
inline KubeQuery in(const KubeKind& kind, const std::string& name_space) {
  return {kind, name_space, {}, {}};
}
inline KubeQuery named(const KubeKind& kind, const std::string& name_space,
                       const std::string& name) {
  return {kind, name_space, {}, "metadata.name=" + name};
}

inline void append(std::vector<Unmet>& list, std::vector<Unmet> more) {
  std::move(more.begin(), more.end(), std::back_inserter(list));
}

/// A DaemonSet on every node, and a Deployment unless it has no name.
struct WorkloadPair {
  std::string name_space;
  std::string daemon_set;
  std::string deployment;
  std::string fault;
  std::string fix;  // where one is missing
};
Gate pair_gate(const WorkloadPair& pair);

}  // namespace ichor
