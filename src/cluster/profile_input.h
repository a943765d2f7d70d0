#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machineconfig/profile_patches.h"
#include "model/cluster_profile.h"
#include "model/finding.h"
#include "model/machine_spec.h"
#include "model/or_end.h"
#include "model/run_options.h"
#include "port/host.h"
#include "profile/recipe.h"

namespace ichor {

/// A profile that may be acted upon: read and linted without an error.
struct ProfileInput {
  ClusterProfile profile;  // with the options of this run, see run_profile()
  std::vector<Finding> warnings;
  std::string folder;         // that the profile's own paths start from
  std::string ready_configs;  // a folder, or empty; see ProfileReading
  ProfilePatches patches;
  std::optional<ClusterRecipe> recipe;  // of formats that say how configs are made
  AccessOptions access;                 // as it was typed
  std::vector<IpAddress> endpoints;     // of `access`, as addresses
  std::string path;                     // as it was typed, or the default
  /// Every node of the cluster, also those that the flags leave out of this run; not those that are
  /// excluded from the plan.
  std::vector<NodePlan> everybody{};
  std::optional<ProviderPlan> provider{};  // where the machines are made; empty: elsewhere
  std::string scan{};                      // see ProfileReading

  /// Whether this run is about some of the nodes only.
  bool narrowed() const { return profile.nodes.size() < everybody.size(); }
};

/// Reads the profile and takes the options into it. Ends with exit 64 if there is no such file or a
/// option names a node that it does not have, and with 3 and all findings at once if one of them is
/// an error.
OrEnd<ProfileInput> read_profile_input(const CommonOptions& common, const RunOptions& options,
                                       Host& host);

/// All findings of the profile, errors or not.
OrEnd<std::vector<Finding>> lint_profile_input(const CommonOptions& common, Host& host);

/// Where the state of the cluster lives: --state-dir, or ichor/NAME below a lab's folder, or
/// .ichor/NAME beside the profile.
std::string state_path(const CommonOptions& common, const ProfileInput& input);

}  // namespace ichor
