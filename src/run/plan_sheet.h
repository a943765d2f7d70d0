#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cluster/profile_input.h"
#include "cluster/workspace.h"
#include "engine/planner.h"
#include "port/host.h"
#include "port/node_drain.h"
#include "run/finish.h"
#include "run/kubernetes_run.h"
#include "run/run_target.h"

namespace ichor {

struct PlanOptions {
  std::vector<std::string_view> phases;  // empty: all
  ChangeOptions change;
  std::vector<Step> steps{};  // instead of the sequence's, if there are any
  /// What the steps drain nodes with; the plan only looks through it.
  std::function<std::unique_ptr<NodeDrain>(Workspace& space)> drain{};
  /// The Kubernetes phases that follow; nothing: the plan ends with the nodes.
  std::optional<KubernetesOptions> kubernetes{};
};

/// Looks, decides, shows, and changes nothing: what every --dry-run is.
Exit plan_phases(ProfileInput input, const RunTarget& target, const PlanOptions& options,
                 Host& host);

/// Shows a plan and gives how the command ends: with 0, or 2 for pending changes if that was asked
/// for, or what the run itself would end with if it would stop.
Summary show_plan(const ProfileInput& input, const ConfigSet& configs, RunPlan plan,
                  bool detailed_exitcode, Host& host);

/// The nodes as they were seen, for plan, status and discover.
Listing node_listing(const ClusterProfile& profile, const ConfigSet& configs,
                     const ClusterView& seen);

}  // namespace ichor
