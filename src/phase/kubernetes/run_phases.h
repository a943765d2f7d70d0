#pragma once

#include <optional>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "model/cluster_profile.h"
#include "model/run_result.h"
#include "phase/kubernetes/kube_world.h"
#include "phase/kubernetes/material.h"
#include "phase/kubernetes/phase_run.h"

namespace ichor {

/// Which phases run, and how.
struct PhasesWish {
  int first{0};
  int last{3};
  PhaseOptions options;
  std::optional<Duration> timeout;  // of each phase, instead of its budget
};

/// What came of them.
struct PhasesResult {
  std::vector<PhaseReport> phases;  // those that were begun
  std::vector<Finding> findings;    // that kept all of them from beginning
  int mutations{0};
  Duration took{};
};

/// Runs phases in their order, each within its budget, and stops at the first that does not end
/// well. Programs are checked before anything is changed. The journal must be locked.
Task<PhasesResult> run_phases(Context context, KubeWorld& world, const KubernetesMaterial& material,
                              const ClusterProfile& profile, PhasesWish wish);

/// The exit code and the verdict in one sentence.
Exit exit_of(const PhasesResult& result, const PhaseOptions& options);
std::string verdict_of(const PhasesResult& result, const PhaseOptions& options);

/// "secrets", "crds", "core", "validation".
std::string_view phase_name(int number);

}  // namespace ichor
