#pragma once

#include <string>
#include <vector>

#include "cluster/cluster_list.h"
#include "model/run_options.h"
#include "port/host.h"

namespace ichor {

/// The words of a command line for one of several clusters: without the flags that choose clusters
/// and places, and with those of this cluster. What belongs to one cluster goes into a folder of
/// its name; the kubeconfig of `up` is one file for all, in which each cluster has a context.
std::vector<std::string> words_for(const std::vector<std::string>& words,
                                   const CommonOptions& common, const ListedCluster& cluster);

/// What one run on several clusters came to: their own exit code where all have the same one, else
/// Exit::failed.
Exit common_exit(const std::vector<int>& exits);

/// Runs this program once for each cluster, some of them side by side. Each run has its own journal
/// and lock, so one that fails does not disturb the others. A signal ends all of them in order.
Exit run_on_each(const std::vector<ListedCluster>& clusters, const std::vector<std::string>& words,
                 const CommonOptions& common, Host& host);

}  // namespace ichor
