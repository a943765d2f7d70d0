#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "async/context.h"
#include "async/signal.h"
#include "async/task.h"
#include "base/result.h"
#include "engine/kube_act.h"
#include "model/cluster_profile.h"
#include "model/run_result.h"
#include "phase/kubernetes/kube_world.h"
#include "phase/kubernetes/kubernetes_phase.h"
#include "phase/kubernetes/material.h"
#include "phase/kubernetes/phase_report.h"

namespace ichor {

struct PhaseOptions {
  bool dry_run{false};
  bool force_conflicts{false};
};

/// How the Kubernetes phases of a run go about it.
struct PhasesOptions {
  PhaseOptions phase;
  std::optional<Duration> timeout;  // of each phase, instead of its budget
};

/// What came of the Kubernetes phases of a run.
struct PhasesResult {
  std::vector<PhaseReport> phases;   // those that started
  std::vector<Finding> findings;     // that kept all of them from starting
  std::optional<RunResult> refused;  // the API could not be opened
  std::vector<Finding> early;        // warnings of what was done ahead
  int mutations{0};
  Duration took{};

  bool started() const { return refused || !findings.empty() || !phases.empty(); }
};

/// The way to the Kubernetes API, opened when the first phase starts: the kubeconfig may be younger
/// than the run.
struct OpenedKube {
  std::shared_ptr<KubeClient> client;
  PodPorts* pods{nullptr};  // null: pods cannot be asked
  SecretString kubeconfig;  // as other programs need it
};

/// Everything outside that the phases need besides the API.
struct KubePorts {
  Random& random;
  Processes& processes;
  WebClient& web;
  Artifacts& files;
  EventSink& events;
  TalosApi* talos{nullptr};  // null: Talos cannot be asked
  std::string state_path;    // where `files` are, for other programs
};

/// The Kubernetes phases of one run. The engine prepares it while nodes boot, then runs its phases
/// in the order of the sequence, each within its budget, with the run's own ledger.
class KubernetesPart {
 public:
  using Open = std::function<tl::expected<OpenedKube, RunResult>()>;

  /// `material` gets the kubeconfig when it is opened. All of it must outlive the run.
  KubernetesPart(KubePorts ports, KubernetesMaterial& material, Open open, PhasesOptions options);
  ~KubernetesPart();

  /// Fetches and renders charts beside other work, until the first phase starts.
  Task<void> prepare(Context context, const ClusterProfile& profile);

  /// Runs one phase. Before the first of them all programs that `phases` need are checked, so that
  /// nothing is changed where one is missing.
  Task<StepEnd> run(Context context, Ledger& ledger, const ClusterProfile& profile,
                    const KubernetesPhase& phase,
                    const std::vector<const KubernetesPhase*>& phases);

  const PhasesResult& result() const { return result_; }
  const PhasesOptions& options() const { return options_; }

 private:
  Task<bool> start(Context context, Ledger& ledger,
                   const std::vector<const KubernetesPhase*>& phases);
  Task<PhaseReport> run_one(Context context, const ClusterProfile& profile,
                            const KubernetesPhase& phase);
  Result<void> keep_kubeconfig();

  KubePorts ports_;
  KubernetesMaterial& material_;
  Open open_;
  PhasesOptions options_;
  CancelScope preparing_;
  bool prepares_{false};
  Signal prepared_;
  std::shared_ptr<KubeClient> client_;
  std::optional<KubeWorld> world_;
  std::unique_ptr<KubeHands> hands_;
  PhasesResult result_;
};

/// The exit code and the verdict in one sentence.
Exit exit_of(const PhasesResult& result);
std::string verdict_of(const PhasesResult& result, const PhaseOptions& options);

/// All that is to be known: what is unmet, warnings, and phases that missed their objective.
std::vector<Finding> findings_of(const PhasesResult& result, const PhaseOptions& options);

}  // namespace ichor
