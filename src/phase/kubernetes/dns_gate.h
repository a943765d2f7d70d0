#pragma once

#include "async/context.h"
#include "async/task.h"
#include "phase/kubernetes/phase_run.h"

namespace ichor {

/// CoreDNS resolves: its Deployment is ready, and every ready pod of it gives the address of the
/// Service `kubernetes`, asked over TCP through the API server. Where that cannot be asked, by the
/// profile's word or because the kubeconfig may not forward ports, the Deployment must do, and a
/// note in the report says so; a note also tells what was resolved.
Task<void> pass_dns(Context context, PhaseRun& run);

}  // namespace ichor
