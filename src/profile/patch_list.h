#pragma once

#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "model/finding.h"
#include "profile/source.h"

namespace ichor {

/// Whose configs a patch goes into.
struct PatchScope {
  enum class Kind { all, control_planes, workers, node };
  Kind kind{Kind::all};
  NodeName node;

  bool covers(const NodePlan& plan) const;
};

/// A file with a patch, as the profile leads to it.
struct PatchFile {
  std::string path;  // from the profile's folder
  PatchScope scope;
  bool is_template{false};  // the name ends in .j2
  std::string text{};       // of a patch that stands in the profile itself
};

/// All patches of a profile in the order in which they are applied: those for all nodes, those of a
/// role, those of a node; within each by name, and last those that a node lists itself, as @FILE,
/// as a name, or as the patch itself. `files` are the files below talos.patches_dir, relative to
/// it. A file with the name of a node (cp1.yaml, nodes/cp1.yaml.j2) is the patch of that node, in
/// whichever folder of these it lies. Other files directly in patches_dir, and in all/ or global/,
/// are for all nodes; in controlplane/ (control-plane/, controller/) and worker/ (workers/) for a
/// role; in node/NAME/, nodes/NAME/ or NAME/ for a node. What lies elsewhere is reported, because
/// no node would get it. A file for all nodes whose name looks like that of a node (cp4.yaml beside
/// cp1 to cp3) is an error, because every node would get it.
std::vector<PatchFile> list_patches(const ClusterProfile& profile,
                                    const std::vector<std::string>& files,
                                    const ProfileSource& source, std::vector<Finding>& findings);

}  // namespace ichor
