#pragma once

#include <functional>

#include "async/context.h"
#include "async/task.h"
#include "engine/run_lock.h"
#include "model/run_result.h"
#include "phase/provision_run.h"
#include "port/journal.h"

namespace ichor {

/// What to do with the machines at the provider.
using ProvisionWork = std::function<Task<RunResult>(ProvisionRun& run, Context context)>;

/// Machines of a profile at their provider, and the journal in which it is written what becomes of
/// them. All of them outlive the work.
struct Provisioning {
  Clock& clock;
  Provider& provider;
  EventSink& events;
  Journal& journal;
  const ClusterProfile& profile;
  const ProviderPlan& plan;
};

/// The run that the work belongs to.
struct ProvisionTurn {
  RunId run;
  /// The nodes come afterwards, in the same run: then its end is not written down here, unless it
  /// ends here.
  bool goes_on{false};
};

/// Does the work under the lock, which must outlive it, in the run's ledger. Refuses a damaged
/// journal and that of another cluster.
Task<RunResult> provision(Context context, const Provisioning& world, ProvisionTurn turn,
                          const RunLock& lock, const ProvisionWork& work);

}  // namespace ichor
