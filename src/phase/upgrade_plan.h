#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/cluster_profile.h"
#include "model/finding.h"
#include "model/node_view.h"

namespace ichor {

/// What an operator wants to be upgraded, and how.
struct UpgradePlan {
  TalosVersion target{};
  bool target_given{false};  // by --to; else it is the profile's
  std::string schematic{};   // by --schematic; empty: the profile's, or what the node runs
  std::set<NodeName> nodes{};
  bool drain{true};
  /// The operator accepts that etcd has no quorum while a control plane reboots.
  bool downtime{false};
  /// etcd is snapshotted before the first node is changed.
  bool snapshot{false};
  /// The path of a snapshot that the journal names, and that is not there or not whole any more.
  std::string lost_snapshot{};
};

/// The image that the node gets: the target's, of its schematic. U6 if no image is known that has
/// the extensions that the node runs.
tl::expected<std::string, Finding> upgrade_image(const ClusterProfile& profile,
                                                 const UpgradePlan& plan, const NodePlan& node,
                                                 const UpgradeView& running);

/// The schematic that an image's name tells; empty: none.
std::string schematic_of(std::string_view image);

/// U5: Talos is upgraded one minor release at a time, from the last patch of each, and not back to
/// an older minor. `kubernetes` is the version that runs; empty: not known.
std::optional<Finding> path_trouble(const UpgradePlan& plan, const NodeName& node,
                                    const TalosVersion& from, const std::string& kubernetes);

}  // namespace ichor
