#pragma once

#include <string>

#include "sim/world.h"

namespace ichor::sim {

/// I23: the same seed and build give the same history. It takes two runs to see it broken, so it
/// belongs to the campaign and not to a run; the campaign proves every twentieth seed by it. Says
/// how the two runs of one seed differ; empty if they do not.
std::string determinism_broken(const SeedReport& first, const SeedReport& second);

}  // namespace ichor::sim
