#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/rehearsal.h"

namespace ichor::sim {

/// A setting of the profile that may help, and how it is changed.
struct Setting {
  std::string name;  // as the profile spells it: "budgets.etcd"
  std::string now, tried;
  std::function<void(ClusterProfile&)> change;
};

/// Those that this profile has not set so already, and that touch what the rehearsal showed. Trust
/// is not among them: what is faster must not be what proves less.
std::vector<Setting> settings_to_try(const ClusterProfile& profile, const RehearsalReport& report);

/// Whether the seeds came out better: more of them ready, or as many and sooner, at the median or
/// at the 95th percentile, and later at neither of them.
bool helps(const RehearsalFigures& before, const RehearsalFigures& after);

}  // namespace ichor::sim
