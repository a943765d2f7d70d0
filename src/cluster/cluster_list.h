#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "port/files.h"

namespace ichor {

/// One cluster of a repository, and the profile that describes it.
struct ListedCluster {
  std::string name;
  std::string profile;  // a path from the working folder
};

/// The file that lists the clusters of a repository, in its root.
inline constexpr const char* kClusterListFile = "ichor-clusters.yaml";

/// The clusters of the repository in the working folder, in the order of the list. Without the
/// file, each folder with an ichor.yaml is one, also below clusters/, and so is each role folder
/// below talos/. Errc::invalid names file and line of what is wrong in the list.
Result<std::vector<ListedCluster>> list_clusters(Files& files);

/// Those with these names, in the order of the list; all of them without names. Errc::invalid for
/// a name that no cluster has, and where there is no cluster at all.
Result<std::vector<ListedCluster>> select_clusters(const std::vector<ListedCluster>& list,
                                                   const std::vector<std::string>& names);

}  // namespace ichor
