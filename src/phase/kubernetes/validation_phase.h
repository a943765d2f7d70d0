#pragma once

#include "phase/kubernetes/kubernetes_phase.h"

namespace ichor {

/// Phase 3: the handover. Reads only: the GitOps tree is clean, and Flux with all that it makes is
/// Ready at the same time.
class ValidationPhase final : public KubernetesPhase {
 public:
  ValidationPhase()
      : KubernetesPhase(3, "validation", &KubernetesPlan::PhaseBudgets::validation, nullptr) {}
  void follow(Course& course) const override;
};

}  // namespace ichor
