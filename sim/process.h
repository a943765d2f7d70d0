#pragma once

#include <memory>
#include <optional>

#include "async/context.h"
#include "async/task.h"
#include "engine/finder.h"
#include "engine/kube_drain.h"
#include "engine/kubernetes_part.h"
#include "engine/orchestrator.h"
#include "journal/memory_journal.h"
#include "port/artifacts.h"
#include "sim/kube/ports.h"
#include "sim/network.h"
#include "sim/process_clock.h"
#include "sim/provider/port.h"

namespace ichor::sim {

class SimWorld;

/// One run of ichor: the production orchestrator on simulated ports. Destroying it is a kill -9: no
/// line of it runs any more, and only what its journal made durable is left.
class SimProcess {
 public:
  SimProcess(SimWorld& world, int number, SeededRandom random);
  ~SimProcess();
  SimProcess(const SimProcess&) = delete;
  SimProcess& operator=(const SimProcess&) = delete;

  void start();
  void interrupt();
  ProcessClock& clock() { return clock_; }
  /// Marks it dead at once: whatever it tries from now on goes nowhere.
  void kill() { dead_ = true; }

  int number() const { return number_; }
  bool dead() const { return dead_; }
  bool interrupted() const { return interrupted_; }
  const std::optional<RunResult>& result() const { return result_; }

 private:
  class JournalPort;
  class Files;
  class Events;

  LockOwner owner() const;
  Task<void> main();
  /// The front of the run, where the seed has one: the machines. True: the run goes on.
  Task<bool> make_machines(Context context, const RunLock& lock);
  void make_finder();
  /// The second half of the run, where the seed has one.
  void make_kubernetes();
  /// What the operator's files come to when this run reads them.
  KubernetesMaterial material() const;

  SimWorld& world_;
  int number_;
  SeededRandom random_;
  ProcessClock clock_;
  bool dead_{false};
  bool interrupted_{false};
  CancelScope scope_;
  SimTalosApi talos_;
  SimKubeApi kube_;
  SimKubeClient client_;
  SimPrograms programs_;
  SimConnect connect_;
  SimProvider provider_;
  std::unique_ptr<JournalPort> journal_;
  std::unique_ptr<Files> files_;
  std::unique_ptr<Events> events_;
  std::unique_ptr<KubernetesMaterial> material_;
  std::unique_ptr<KubernetesPart> kubernetes_;
  std::unique_ptr<KubeDrain> drain_;  // of an upgrade
  std::unique_ptr<Finder> finder_;    // where the profile does not say where machines are
  std::unique_ptr<Orchestrator> orchestrator_;
  RunId run_;
  int machine_changes_{0};
  std::optional<RunResult> result_;
  Task<void> main_;
};

}  // namespace ichor::sim
