#pragma once

#include <vector>

#include "model/cluster_profile.h"
#include "model/finding.h"
#include "model/or_end.h"
#include "model/run_options.h"

namespace ichor {

/// What a profile comes to in one run, with the options of that run.
struct RunProfile {
  ClusterProfile profile;
  /// Every node of the cluster, also those that the options leave out of this run; not those that
  /// are excluded from the plan.
  std::vector<NodePlan> everybody;
  std::vector<IpAddress> endpoints;  // of the options, as addresses
  std::vector<Finding> warnings;
};

/// Takes the options into the profile that was declared. Ends with exit 64 if they name a node that
/// it does not have.
OrEnd<RunProfile> run_profile(ClusterProfile declared, const RunOptions& options);

/// The names of the nodes that were typed, by name or address; exit 64 if there is no such node.
OrEnd<std::vector<NodeName>> find_names(const std::vector<NodeName>& typed,
                                        const ClusterProfile& profile);

}  // namespace ichor
