#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "model/cluster_profile.h"
#include "model/finding.h"
#include "model/run_result.h"
#include "phase/kubernetes/act.h"
#include "phase/kubernetes/gate.h"
#include "phase/kubernetes/kube_world.h"
#include "phase/kubernetes/material.h"
#include "phase/kubernetes/unmet.h"
#include "wait/backoff.h"
#include "wait/kube_retry.h"

namespace ichor {

/// The word for it in listings: "done", "out-of-time".
std::string_view result_word(StepEnd end);

/// What a phase did with one object, or would do.
struct ObjectChange {
  std::string object;
  std::string change;              // "create", "update", "none"
  std::vector<std::string> lines;  // of an update
};

/// What a phase came to.
struct PhaseReport {
  int number{0};
  std::string_view name;
  StepEnd end{StepEnd::passed};
  std::vector<ObjectChange> objects;
  std::vector<std::pair<std::string, Unmet>> unmet;  // with the gate that it belongs to
  std::vector<Finding> findings;                     // warnings and notes
  Duration took{};
  std::optional<Duration> slo;

  int changed() const;
  int unchanged() const;
  /// Keeps the worse of the two ends.
  void worsen(StepEnd to);
};

inline bool within_objective(const PhaseReport& report) {
  return !report.slo || report.took <= *report.slo;
}

struct PhaseOptions {
  bool dry_run{false};
  bool force_conflicts{false};
};

/// One phase that runs: where, with what, and what came of it so far.
struct PhaseRun {
  KubeWorld& world;
  const KubernetesMaterial& material;
  const ClusterProfile& profile;
  KubeActor& actor;
  PhaseOptions options;
  PhaseReport report;

  GatePlace place() const {
    return {world.clock, world.random, world.kube, world.events, report.name};
  }
  void say(EventKind kind, std::string text, int attempt = 0) const;
  /// Something that stops the phase.
  void stop(Unmet unmet, StepEnd end = StepEnd::failed);
  void stop_at(const std::string& gate, Unmet unmet, StepEnd end);
  void warn(Unmet unmet);
};

/// Asks until there is an answer that waiting would not change. `what` says who waits.
template <class T>
Task<CallResult<T>> persist(Context context, PhaseRun& run, std::string what,
                            std::function<Task<CallResult<T>>()> ask) {
  for (int attempt = 1;; ++attempt) {
    CallResult<T> answer = co_await ask();
    if (answer || judge_kube(answer.error()).reaction != Reaction::retry) co_return answer;
    run.say(EventKind::retrying, what + ": " + to_text(answer.error()), attempt);
    const Wake wake =
        co_await sleep_for(context, read_delay(attempt, run.profile.retry, run.world.random));
    if (wake != Wake::signalled) co_return answer;
  }
}

/// Waits for a gate, and stops the phase with what is unmet if it does not come to hold. When time
/// is up it is given one last look, so that the reason is named.
Task<bool> pass(Context context, PhaseRun& run, Gate gate);

/// The same, for gates that are waited for side by side; what came of it is in the report.
Task<void> pass_beside(Context context, PhaseRun& run, Gate gate);

/// Looks at a gate once and takes what is unmet into the report.
Task<void> explain(PhaseRun& run, Context context, Gate gate);

}  // namespace ichor
