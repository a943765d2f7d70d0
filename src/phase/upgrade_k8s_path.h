#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machineconfig/kubernetes_images.h"
#include "model/finding.h"
#include "model/node_view.h"
#include "phase/upgrade_k8s.h"

namespace ichor {

/// "v1.36.3" and "1.36.3", also as the tag of an image; nothing for what is no version.
std::optional<TalosVersion> kubernetes_version_in(std::string_view text);

/// What runs of a component on a node, as the Kubernetes API shows it; nothing: it was not seen.
std::optional<TalosVersion> running_version(const NodeView& node, KubeComponent component);
/// Whether it is well, whatever version it is of.
bool is_ready(const NodeView& node, KubeComponent component);

/// U9: Kubernetes is upgraded one minor release at a time, within what the node's Talos runs, and
/// kubelets are at most three minor releases behind their API server. Nullopt: the path is good.
std::optional<Finding> kubernetes_path_trouble(const KubernetesUpgrade& upgrade,
                                               const NodePlan& plan, const NodeView& node);

/// U10: what the node's new config tells a component that does not know it any more.
std::vector<Finding> removed_settings(const TalosVersion& target, const NodeName& node,
                                      const KubernetesSettings& settings);

/// U10: API versions that clients use and that the target does not serve. A warning each: the
/// objects stay, and their clients must change.
std::vector<Finding> removed_api_uses(const TalosVersion& target, const NodeView& any,
                                      const std::vector<RemovedApiUse>& uses);

}  // namespace ichor
