#pragma once

#include "engine/world.h"
#include "model/cluster_profile.h"
#include "model/journal_facts.h"
#include "model/node_view.h"

namespace ichor {

/// One look at etcd on all control planes, at about the same time. Each question is asked for
/// itself: without quorum a member still answers for its own status, and what it cannot answer is
/// missing in the view.
Task<ClusterView> look_at_etcd(Context context, World& world, const ClusterProfile& profile,
                               const JournalFacts& facts);

/// Streams a snapshot of the member on one control plane, which must be the machine that the
/// journal names.
Task<CallResult<void>> fetch_snapshot(Context context, World& world, const ClusterProfile& profile,
                                      const JournalFacts& facts, const NodePlan& plan,
                                      ByteSink& sink);

}  // namespace ichor
