#pragma once

#include "base/time.h"
#include "model/cluster_profile.h"
#include "port/random.h"

namespace ichor {

/// The delay before attempt `attempt` + 1 of a mutation; `attempt` counts from 1. Exponential with
/// the profile's factor and cap, and up to a quarter of itself taken off at random, so that nodes
/// that failed together do not come back together.
Duration mutation_delay(int attempt, const RetryLimits& limits, Random& random);

/// The same for reads and reconnects, which change nothing and may come sooner.
Duration read_delay(int attempt, const RetryLimits& limits, Random& random);

}  // namespace ichor
