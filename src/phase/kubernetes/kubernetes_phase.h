#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/kubernetes_plan.h"
#include "phase/kubernetes/course.h"
#include "phase/phase.h"

namespace ichor {

/// A step on the objects of the Kubernetes API, after the nodes are verified. Like a step on nodes
/// it is what it reads and what it decides, and both are pure: the engine looks at what `reads`
/// names, does what `decide` says, and looks again.
class KubernetesPhase : public Phase {
 public:
  using Budget = Duration KubernetesPlan::PhaseBudgets::*;
  using Objective = Duration KubernetesPlan::Slo::*;

  /// `objective` is null for a phase that has none.
  KubernetesPhase(int number, std::string_view name, Budget budget, Objective objective)
      : number_(number), name_(name), budget_(budget), objective_(objective) {}

  std::string_view name() const override { return name_; }
  int number() const { return number_; }  // as `ichor phase` takes it
  Duration budget(const KubernetesPlan& plan) const { return plan.budgets.*budget_; }
  std::optional<Duration> objective(const KubernetesPlan& plan) const {
    return objective_ ? std::optional(plan.slo.*objective_) : std::nullopt;
  }

  std::vector<KubeRead> reads(const KubeWanted& wanted, const KubeView& view) const {
    Course course(wanted, view);
    follow(course);
    return course.take_reads();
  }
  Decision decide(const KubeWanted& wanted, const KubeView& view) const {
    Course course(wanted, view);
    follow(course);
    return course.take_decision();
  }
  /// Both at once: walks along the course as far as the view leads.
  virtual void follow(Course& course) const = 0;

 private:
  int number_;
  std::string_view name_;
  Budget budget_;
  Objective objective_;
};

}  // namespace ichor
