#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/campaign.h"

namespace ichor::sim {

/// A planted bug. It is a file of sim/planted, which tools/plant puts into a copy of the product's
/// code; only the extra binary ichor-mutants is built from that.
struct Mutant {
  std::string_view name;
  std::string_view breaks;     // what goes wrong with it
  std::string_view caught_by;  // the invariant that should see it first
  /// The faults of the hunt. Where a bug shows only after one fault that others nearly always hide,
  /// that fault alone.
  std::string_view faults;
  Line line;  // how far the seeds of its hunt go
};

/// Written by tools/plant; ichor-mutants only.
const std::vector<Mutant>& mutants();

/// Runs the campaign once with each of the named mutants ("all": every one) switched on, and says
/// by which seed and invariant it was found. 0 if every one was found, 1 if one escaped, 64 for an
/// unknown name or a binary that has no mutants.
int hunt_mutants(const CampaignOptions& options, const std::vector<std::string>& names,
                 std::ostream& out);

}  // namespace ichor::sim
