#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>

#include "sim/campaign.h"

namespace ichor::sim {

/// How a plan is taken apart by crashes.
enum class Sweep {
  singles,  // killed once, at every single passage of every point that a whole run makes
  pairs,    // killed twice, for every pair of points
};

struct SweepReport {
  std::uint64_t runs{0};
  std::uint64_t killed_as_told{0};  // runs that were killed as often as asked for
  std::uint64_t ready{0};
  std::map<std::string, std::uint64_t> passages;  // of each point in the run without crashes
  double seconds{0};
  std::string failed_at;  // where ichor was killed in the first violation by order
  std::string violation;
};

/// Kills ichor by plan instead of by chance, on the plan of `options.first_seed` without other
/// faults; every run is judged by all invariants. Stops after a violation.
SweepReport sweep_crashes(const CampaignOptions& options, Sweep sweep);

/// Human or JSON; returns 0, or 1 for a violation or a point that the run never passed.
int print_sweep(const CampaignOptions& options, Sweep sweep, const SweepReport& report,
                std::ostream& out);

}  // namespace ichor::sim
