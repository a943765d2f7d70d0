#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/world.h"
#include "model/action.h"
#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "model/finding.h"
#include "model/journal_facts.h"
#include "model/node_view.h"
#include "phase/sequence.h"

namespace ichor {

/// One line of a plan.
struct PlannedStep {
  std::string phase;
  NodeName node;                   // empty: the cluster
  std::optional<NodeCall> action;  // what would be done; without one the step would wait
  std::string text;                // why, or what for
  bool unverified{false};          // it rests on a node that did not answer
};

/// What a run would do, in the order in which it would.
struct RunPlan {
  std::vector<PlannedStep> steps;
  std::vector<NodeName> unverified;  // nodes that did not answer: what is planned is assumed
  std::vector<Finding> findings;     // where the run would stop
  bool unsafe{false};                // one of them is a refusal
  ClusterView seen;                  // what the plan rests on: every node

  int action_count() const;
};

/// One look at every node and at the API, all at the same time, changing nothing.
Task<ClusterView> survey(Context context, World& world, const ClusterProfile& profile,
                         const JournalFacts& facts);

/// Asks the phases what they would decide, assumes that each action does what it is meant to, and
/// asks on. Pure: the same facts and views give the same plan. A node that was not seen is taken
/// for what the journal knows of it, or for a machine in maintenance mode, and all that rests on it
/// is marked as unverified.
RunPlan plan_run(const ClusterProfile& profile, const ConfigSet& configs,
                 const std::vector<Step>& steps, JournalFacts facts, ClusterView seen,
                 MonoTime now);

}  // namespace ichor
