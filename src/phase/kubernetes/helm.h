#pragma once

#include <optional>
#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "phase/kubernetes/phase_run.h"
#include "phase/kubernetes/release.h"
#include "phase/kubernetes/tools.h"
#include "port/process.h"

namespace ichor {

/// What helm and helmfile are asked. A failure is in the run's report.

/// A call of helmfile on a file, in its folder.
ProcessCall helmfile_call(const ToolPlace& place, const std::string& file,
                          std::vector<std::string> arguments);

/// Renders one release of a helmfile, with its CRDs.
ProcessCall helmfile_template(PhaseRun& run, const WantedRelease& release);

/// The releases of a helmfile, rendered.
Task<std::optional<std::vector<WantedRelease>>> list_helmfile(Context context, PhaseRun& run,
                                                              std::string file);

/// Everything that phase 2 installs: the helmfile's releases, then the profile's own.
Task<std::optional<std::vector<WantedRelease>>> wanted_releases(Context context, PhaseRun& run);

/// What is deployed of a release, by helm's own records.
Task<std::optional<DeployedRelease>> look_at_release(Context context, PhaseRun& run,
                                                     WantedRelease wanted);

/// Installs it. True when it is deployed.
Task<bool> install_release(Context context, PhaseRun& run, WantedRelease wanted);

/// "Release/NAMESPACE/NAME".
std::string key_of(const WantedRelease& release);

}  // namespace ichor
