#pragma once

#include <map>
#include <string>
#include <vector>

#include "async/bell.h"
#include "async/context.h"
#include "async/task_group.h"
#include "engine/kube_act.h"
#include "engine/kube_look.h"
#include "phase/kubernetes/kubernetes_phase.h"
#include "phase/kubernetes/phase_report.h"

namespace ichor {

/// What the Kubernetes phases of one run share.
struct KubeRun {
  KubeWorld& world;
  const KubernetesMaterial& material;
  const ClusterProfile& profile;
  KubeHands& hands;
  bool force_conflicts{false};
};

/// Runs one Kubernetes phase: look, decide, do what was decided, look again; until it is satisfied,
/// must stop, or its time is up. Looks and actions run side by side; whatever changes is decided on
/// at once. The end is said of what was listed once more, all of it together.
class KubeLoop {
 public:
  /// `report` is of the phase, and gets what came of it.
  KubeLoop(KubeRun run, const KubernetesPhase& phase, PhaseReport& report)
      : run_(run), phase_(phase), report_(report) {}

  /// Until the phase has ended, or the context.
  Task<void> run(Context context);

 private:
  /// Where the loop goes after a look.
  enum class Next { again, wait, end };

  Task<Next> follow(Context context, Decision decision);
  Task<Next> confirm(Context context);
  bool start(Context context, const std::vector<Action>& actions);
  Task<void> carry(Context context, Action action, std::string key);
  void note(Context context, const Action& action, const Outcome& outcome, Attempt& attempt);
  void note_failure(Context context, const Action& action, const CallError& error,
                    Attempt& attempt);
  void tell(const Wait& wait);
  /// In a plan: takes what a run would wait for as met. False: there is nothing new in it.
  bool assume(const Wait& wait);
  void end_with(StepEnd end, std::vector<Unmet> unmet);
  void end_without_journal();
  void end_late(std::vector<Unmet> unmet);
  Task<void> pause(Context context, std::uint64_t rings, std::uint64_t answers);
  void say(EventKind kind, std::string text, int attempt = 0) const;

  KubeRun run_;
  const KubernetesPhase& phase_;
  PhaseReport& report_;
  KubeView view_;
  Bell changed_;
  KubeLook* look_{nullptr};
  TaskGroup* acts_{nullptr};
  int in_flight_{0};
  std::uint64_t acted_{0};
  bool confirmed_{false};
  std::string told_;
};

}  // namespace ichor
