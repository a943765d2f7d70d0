#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "model/finding.h"
#include "model/journal_facts.h"

namespace ichor {

/// Why the journal and what is wanted now do not go together.
std::optional<Finding> find_mismatch(const ClusterProfile& profile, const ConfigSet& configs,
                                     const JournalFacts& facts);

/// What a run writes into the journal before it does anything. `adopt`: the operator says that a
/// cluster that the journal has not made is ours. `command`: what was typed, if it is known.
std::vector<JournalRecord> start_records(const ClusterProfile& profile, const ConfigSet& configs,
                                         const JournalFacts& facts, bool adopt,
                                         const std::string& command);

/// O3: which nodes were sent another config than they would be now; empty: the profile was not
/// edited since the last run.
std::string describe_edits(const ConfigSet& configs, const JournalFacts& facts);

}  // namespace ichor
