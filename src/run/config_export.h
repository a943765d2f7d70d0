#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cluster/profile_input.h"
#include "cluster/workspace.h"
#include "port/host.h"
#include "run/run_target.h"

namespace ichor {

/// What was written, and where: rows of a summary.
using WrittenFiles = std::vector<std::pair<std::string, std::string>>;

/// Writes what a run works with into the folder that `talos.config_dir` names: the generated config
/// of each node as CLUSTER-NODE.yaml, and the talosconfig with the cluster's context; contexts of
/// other clusters in it stay. Nothing without such a folder, and no configs if they are ready-made
/// ones. Errc::unsafe, before anything is written, if git would see the files.
Result<WrittenFiles> export_configs(const RunTarget& target, const ProfileInput& input,
                                    Workspace& space, Host& host);

}  // namespace ichor
