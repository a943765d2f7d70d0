#pragma once

#include <string>

#include "model/cluster_profile.h"

namespace ichor {

/// A profile as a commented ichor.yaml that reads as the same profile. Limits and budgets are left
/// at their defaults and not written.
std::string write_profile(const ClusterProfile& profile);

/// A profile to begin with: three control planes and a worker, at addresses that want changing.
ClusterProfile starter_profile();

}  // namespace ichor
