#pragma once

#include "cli/request.h"
#include "model/run_result.h"
#include "port/host.h"

namespace ichor {

/// `gen config --from`: the configs of all nodes of a profile, one file each, and a talosconfig.
Exit gen_config_from(const GenConfigRequest& request, const CommonOptions& common, Host& host);

}  // namespace ichor
