#pragma once

#include "sim/cluster_fixture.h"

namespace ichor::sim {

/// A profile as the simulator plays it. What no simulated machine can have is left out: pins, and
/// disk selectors. Where the profile has Kubernetes phases their limits count, and the simulator's
/// own releases stand for the profile's.
ClusterProfile playable(const ClusterProfile& profile);

/// A fault that was named and that no seed of this profile can have: one of Kubernetes where there
/// are no phases, or one of a provider. Empty: there is none.
std::string_view unplayable_fault(const ClusterProfile& profile, const FaultChoice& faults);

/// What the seed draws, under what the profile fixes: versions, order, addresses and CNI.
SeedPlan rehearsal_plan(const ClusterProfile& profile, std::uint64_t seed,
                        const FaultChoice& faults);

/// The profile's machines with made-up configs; `profile` is playable().
ClusterFixture rehearsal_fixture(const ClusterProfile& profile, const SeedPlan& plan);

}  // namespace ichor::sim
