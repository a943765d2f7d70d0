#pragma once

#include "phase/kubernetes/kubernetes_phase.h"

namespace ichor {

/// Phase 0: namespaces, then the bootstrap secrets. Nothing is sent where the value of a secret
/// cannot be had.
class SecretsPhase final : public KubernetesPhase {
 public:
  SecretsPhase() : KubernetesPhase(0, "secrets", &KubernetesPlan::PhaseBudgets::secrets, nullptr) {}
  void follow(Course& course) const override;
};

}  // namespace ichor
