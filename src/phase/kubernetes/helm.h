#pragma once

#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "base/result.h"
#include "phase/kubernetes/kube_view.h"
#include "phase/kubernetes/release.h"
#include "phase/kubernetes/tools.h"
#include "port/kube_client.h"
#include "port/process.h"

namespace ichor {

/// What helm and helmfile are asked.

/// A call of helmfile on a file, in its folder.
ProcessCall helmfile_call(const ToolPlace& place, const std::string& file,
                          std::vector<std::string> arguments);

/// Renders one release of a helmfile, with its CRDs.
ProcessCall helmfile_template(const ToolPlace& place, const WantedRelease& release);

/// Installs a release, or takes it to what is wanted.
ProcessCall install_call(const ToolPlace& place, const WantedRelease& wanted, Duration limit);

template <class T>
using Looked = tl::expected<T, Trouble>;

/// The releases of a helmfile, rendered.
Task<Looked<std::vector<WantedRelease>>> read_helmfile(Context context, ToolPlace place,
                                                       std::string file);

/// What is deployed of a release, by helm's own records.
Task<Looked<DeployedRelease>> read_release(Context context, KubeClient& kube, ToolPlace place,
                                           const WantedRelease& wanted);

/// Whether the newest revision is none that a helm has not ended. Unknown is not yes.
Task<bool> is_settled(Context context, KubeClient& kube, const WantedRelease& wanted);

}  // namespace ichor
