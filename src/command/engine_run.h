#pragma once

#include <string_view>
#include <vector>

#include "command/desk.h"
#include "command/workspace.h"
#include "engine/planner.h"
#include "model/run_result.h"

namespace ichor {

/// Which steps of the sequence a command runs, and whether it may change nodes.
struct RunWish {
  std::vector<std::string_view> phases;  // empty: all of them
  bool changes_nodes{true};
  std::vector<Step> steps{};  // instead of the sequence's, if there are any
  bool adopt{false};          // go on with a cluster that the journal has not made
};

/// Runs the engine on the workspace's cluster, to its end or until a signal.
RunResult run_engine(const ClusterProfile& profile, Workspace& space, const RunWish& wish,
                     Desk& desk);

/// One look at everything; again, up to `tries` times, while a node is silent. Ends only by a
/// signal.
OrEnd<ClusterView> look_around(const ClusterProfile& profile, Workspace& space, Desk& desk,
                               int tries = 1);

/// What run_engine would do.
OrEnd<RunPlan> make_plan(const ClusterProfile& profile, Workspace& space, const RunWish& wish,
                         Desk& desk);

}  // namespace ichor
