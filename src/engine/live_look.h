#pragma once

#include <optional>
#include <vector>

#include "engine/world.h"
#include "model/cluster_profile.h"
#include "model/journal_facts.h"
#include "model/live_node.h"

namespace ichor {

enum class LiveConfigs { read, left_out };

/// One look at every node of the profile, side by side, at what runs on it.
Task<std::vector<LiveNode>> look_live(Context context, World& world, const ClusterProfile& profile,
                                      const JournalFacts& facts, LiveConfigs configs);

}  // namespace ichor
