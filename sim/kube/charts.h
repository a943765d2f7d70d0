#pragma once

#include <string>
#include <vector>

#include "port/kube_client.h"

namespace ichor::sim {

/// What a chart of this release holds, made up by its name: an agent on every node and an operator
/// for cilium, two pods for coredns, the kinds and objects of Flux, and one Deployment for any
/// other. Marked as helm marks what it installs.
std::vector<KubeObject> made_up_chart(const std::string& release, const std::string& name_space);

/// A CustomResourceDefinition of one version, v1, in namespaces.
KubeObject made_up_crd(const std::string& group, const std::string& kind,
                       const std::string& plural);

}  // namespace ichor::sim
