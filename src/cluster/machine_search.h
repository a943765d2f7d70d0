#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/finder.h"
#include "model/cluster_profile.h"
#include "model/or_end.h"
#include "model/run_options.h"
#include "port/host.h"

namespace ichor {

struct Workspace;

/// Who looks for the profile's machines: at the addresses of `options`, or else at the nodes' own
/// and then in node_cidr and at those of `elsewhere`, which may be empty. Null if that is not a
/// network that can be scanned.
std::unique_ptr<Finder> make_finder(const ClusterProfile& profile, const ScanOptions& options,
                                    ClusterApis& apis, const std::string& elsewhere = {});

/// Before a command looks at nodes or changes them: looks for those that have no address of their
/// own. Ends with exit 5, the matrix and what was found if it is not certain which machine is
/// which; a machine that is missing is no end, because it may boot yet. What else was noticed is in
/// the findings of the workspace.
OrEnd<void> find_machines(const ClusterProfile& profile, Workspace& space, Host& host);

/// What the last search says: how a command ends that cannot go on, with the tables shown; else
/// the findings of the match are in the workspace.
OrEnd<void> judge_search(const ClusterProfile& profile, Workspace& space, Host& host);

/// Everybody who was seen, with the node's name where there is one.
Listing machine_listing(const std::vector<Sighting>& seen, const MachineMatch& match);
/// Of every node without a machine: how each machine compares to it.
Listing match_listing(const MachineMatch& match);

/// How a search ended that found no certain answer.
RunResult uncertain(const ClusterProfile& profile, const MachineMatch& match);

/// A profile of the machines in maintenance mode that were seen, with names to fill in. It lints
/// apart from those.
std::string profile_of(const std::vector<Sighting>& seen, const std::string& scanned);

}  // namespace ichor
