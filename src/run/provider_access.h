#pragma once

#include <memory>

#include "cluster/profile_input.h"
#include "model/or_end.h"
#include "port/host.h"
#include "run/run_target.h"

namespace ichor {

/// The provider of the profile, with its token: from the file, variable or program that the profile
/// names, which is asked now. On a lab it is the lab's own API, and the profile's token is left
/// alone. Ends with exit 3 if the profile has no `providers.proxmox` with a url.
OrEnd<std::unique_ptr<Provider>> reach_provider(const ProfileInput& input, const RunTarget& target,
                                                Host& host);

}  // namespace ichor
