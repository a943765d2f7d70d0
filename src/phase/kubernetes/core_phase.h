#pragma once

#include "phase/kubernetes/kubernetes_phase.h"

namespace ichor {

/// Phase 2: the releases of the core stack in the order of their needs, kubelet-serving requests
/// approved beside them, and the gates: what needs a network waits until every node has one.
class CorePhase final : public KubernetesPhase {
 public:
  CorePhase()
      : KubernetesPhase(2, "core", &KubernetesPlan::PhaseBudgets::core,
                        &KubernetesPlan::Slo::core) {}
  void follow(Course& course) const override;
};

}  // namespace ichor
