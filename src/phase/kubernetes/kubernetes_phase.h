#pragma once

#include <optional>
#include <string_view>

#include "model/kubernetes_plan.h"
#include "phase/kubernetes/phase_run.h"
#include "phase/phase.h"

namespace ichor {

/// A step on the objects of the Kubernetes API. It runs once, after the nodes are verified; what it
/// works with comes from the run's KubernetesPart.
class KubernetesPhase final : public Phase {
 public:
  using Run = Task<void> (*)(Context, PhaseRun&);
  using Budget = Duration KubernetesPlan::PhaseBudgets::*;
  using Objective = Duration KubernetesPlan::Slo::*;

  /// `objective` is null for a phase that has none.
  KubernetesPhase(int number, std::string_view name, Run run, Budget budget, Objective objective)
      : number_(number), name_(name), run_(run), budget_(budget), objective_(objective) {}

  std::string_view name() const override { return name_; }
  int number() const { return number_; }  // as `ichor phase` takes it
  Duration budget(const KubernetesPlan& plan) const { return plan.budgets.*budget_; }
  std::optional<Duration> objective(const KubernetesPlan& plan) const {
    return objective_ ? std::optional(plan.slo.*objective_) : std::nullopt;
  }
  Task<void> run(Context context, PhaseRun& run) const { return run_(context, run); }

 private:
  int number_;
  std::string_view name_;
  Run run_;
  Budget budget_;
  Objective objective_;
};

}  // namespace ichor
