#pragma once

#include <string>
#include <vector>

#include "model/finding.h"
#include "model/node.h"

namespace ichor {

/// A node that is described by a file of its own.
struct RoleFile {
  NodeName node;  // the file's name without its ending, which may be .sops.yaml
  Role role{Role::worker};
  std::string path;  // relative to the cluster's folder
};

/// The nodes of a cluster's folder (talos/CLUSTER): files in controlplane/ are control planes,
/// files in worker/ are workers, and files beside those folders are control planes too. Without
/// such folders all files are control planes. Each file is a patch over the cluster's template.
/// secrets.yaml, variables.yaml and others that belong to the whole cluster are none.
/// `files` are relative to `folder`. Two files for one node, and none for a control plane, are
/// findings.
std::vector<RoleFile> read_role_folders(const std::string& folder,
                                        const std::vector<std::string>& files,
                                        std::vector<Finding>& findings);

}  // namespace ichor
