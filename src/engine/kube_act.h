#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "model/action.h"
#include "model/outcome.h"
#include "phase/kubernetes/kube_world.h"
#include "phase/kubernetes/material.h"

namespace ichor {

/// What does the actions of Kubernetes phases. Bodies: the cluster's, and a plan's.
class KubeHands {
 public:
  virtual ~KubeHands() = default;

  virtual Task<Outcome> act(Context context, const Action& action) = 0;
  /// Whether nothing is changed, so that what a run would wait for never comes and is taken for
  /// met.
  virtual bool only_plans() const = 0;
  virtual int mutations() const = 0;
};

/// Changes the cluster, by the protocol of engine/act.h. The journal gets names and codes, nothing
/// of what is in an object.
class ClusterHands final : public KubeHands {
 public:
  ClusterHands(KubeWorld& world, const KubernetesMaterial& material)
      : world_(world), material_(material) {}

  Task<Outcome> act(Context context, const Action& action) override;
  bool only_plans() const override { return false; }
  int mutations() const override { return mutations_; }

 private:
  Task<Outcome> send(Context context, const Action& action);
  Task<Outcome> install(Context context, const WantedRelease& release);

  KubeWorld& world_;
  const KubernetesMaterial& material_;
  int mutations_{0};
};

/// Changes nothing: what would be applied is what its client answers with from then on.
class PlannedHands final : public KubeHands {
 public:
  explicit PlannedHands(KubeClient& planned) : planned_(planned) {}

  Task<Outcome> act(Context context, const Action& action) override;
  bool only_plans() const override { return true; }
  int mutations() const override { return 0; }

 private:
  KubeClient& planned_;
};

}  // namespace ichor
