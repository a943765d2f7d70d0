#pragma once

#include <memory>
#include <vector>

#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "sim/node/fixed_judge.h"
#include "sim/node/spec.h"
#include "sim/seed_plan.h"

namespace ichor::sim {

struct KubeStack;

/// The cluster that a seed is about: profile, configs and hardware that fit together. The secrets
/// and configs are fixed texts: an RSA key takes longer than a thousand runs.
struct ClusterFixture {
  ClusterProfile profile;
  ConfigSet configs;
  /// What the operator has after the secrets were generated again: nodes of the one do not take the
  /// other.
  ConfigSet regenerated;
  /// Configs of ours that the operator has changed, and configs of another cluster.
  ConfigSet changed, foreign;
  std::vector<NodeSpec> hardware;          // in the order of the profile
  std::shared_ptr<const KubeStack> stack;  // of the whole line
  FixedJudge judge;
};

/// Made once per kind of plan and then shared by all seeds of it; only durations differ, which
/// hardware_for() fills in.
ClusterFixture make_fixture(const SeedPlan& plan);

/// The same of a given profile and its machines, in the order of the profile.
ClusterFixture make_fixture(const SeedPlan& plan, ClusterProfile profile,
                            std::vector<NodeSpec> hardware);

/// `spec` with this seed's personality, platform and pace.
NodeSpec hardware_for(const SeedPlan& plan, NodeSpec spec);

}  // namespace ichor::sim
