#pragma once

#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "model/cluster_profile.h"
#include "phase/kubernetes/gate.h"
#include "port/talos_api.h"

namespace ichor {

/// Waits until every node of the profile says that its Talos services run and are healthy. Talos is
/// asked every `profile.budgets.poll`; with `once` only once.
Task<GateEnd> wait_for_services(Context context, TalosApi& talos, const ClusterProfile& profile,
                                EventSink& events, std::string_view phase, bool once = false);

}  // namespace ichor
