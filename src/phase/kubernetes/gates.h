#pragma once

#include <string>
#include <vector>

#include "model/kubernetes_plan.h"
#include "phase/kubernetes/gate.h"

namespace ichor {

/// The gates of docs/phases.md. Those of a profile are made from its plan; `expected` are the names
/// of its nodes, or nobody's.

Gate nodes_gate(const std::vector<std::string>& expected, Duration stable);
/// The agent on every node, and the operator unless there is none.
Gate cilium_gate(const KubernetesPlan::Gates& gates);
Gate coredns_gate(const KubernetesPlan::Gates& gates);
/// Controller and node plugin, the plugin on every node.
Gate csi_gate(const KubernetesPlan::Gates& gates);
/// Every CustomResourceDefinition is Established; these must be there, by name.
Gate crds_gate(const std::vector<std::string>& names);
/// flux-operator, FluxInstance and all sources.
Gate flux_gate(const KubernetesPlan::Flux& flux);
/// Every Kustomization and HelmRelease.
Gate kustomizations_gate();

/// What `ichor wait object` may wait for.
struct ObjectWish {
  enum class For { ready, exists, deleted, condition };
  For what{For::ready};
  std::string condition;
  std::string status{"True"};
};
Gate object_gate(const KubeRef& ref, const ObjectWish& wish);

}  // namespace ichor
