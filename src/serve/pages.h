#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "serve/page_frame.h"
#include "serve/served_cluster.h"

namespace ichor {

/// The pages of `ichor serve`. Links are below `root`. All texts of journals and profiles are
/// cleaned and escaped, and passwords in URLs are hidden. Pure.

/// All clusters of the repository, each with its last run.
PageReply clusters_page(const std::string& root, const std::vector<ServedCluster>& clusters,
                        WallTime now);

/// One cluster: its nodes, its runs and when its certificates expire.
PageReply cluster_page(const std::string& root, const ServedCluster& cluster, WallTime now);

/// A run, from 1: how far it is, its steps, and all that happened, the newest first.
PageReply run_page(const std::string& root, const ServedCluster& cluster, std::size_t number,
                   WallTime now);

/// Paths below the root, for links and for the one who finds the page of a path.
std::string cluster_path(const ServedCluster& cluster);
std::string run_path(const ServedCluster& cluster, std::size_t number);

/// A record of a run as the event stream carries it: what `ichor watch -o json` prints, with the
/// time since the run started and a text for people. A line without a line break.
std::string event_line(const JournalRun& run, const JournalRecord& record);

}  // namespace ichor
