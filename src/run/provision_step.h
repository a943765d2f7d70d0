#pragma once

#include "cluster/profile_input.h"
#include "engine/provisioning.h"
#include "port/host.h"
#include "run/run_target.h"
#include "run/run_turn.h"

namespace ichor {

struct ProvisionOptions {
  ProvisionWork work;
  const RunTurn* turn{nullptr};  // of the run that this is a part of; null: a run of its own
  bool looks_only{false};        // nothing is changed or written down, and no lock is taken
};

/// Reaches the provider and does the work under the lock of the journal, in its ledger; `seen` gets
/// what the provider showed last. `state` may be null for a look.
RunResult run_provision(const ProfileInput& input, const RunTarget& target, ClusterState* state,
                        const ProvisionOptions& options, Host& host,
                        const std::function<void(const ProvisionRun&)>& seen = {});

/// Every machine of the profile exists, runs and answers in maintenance mode; one that never does
/// is reported with its VM, and so are two machines that fit one node. Nodes that have their config
/// already are not waited for. Work for run_provision(); all arguments must outlive it.
Task<RunResult> make_machines(ProvisionRun& run, Context context, const ProfileInput& input,
                              Workspace& space, Host& host);

}  // namespace ichor
