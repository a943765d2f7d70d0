#pragma once

#include <string>
#include <vector>

#include "port/kube_client.h"

namespace ichor {

/// Whether a DaemonSet wants a pod on a node, as its controller decides it: by the template's node
/// selector, required node affinity and tolerations, with the ones that every daemon pod gets.
bool wants_node(const KubeObject& daemon_set, const KubeObject& node);

/// Whether a label selector (matchLabels and matchExpressions) takes these labels.
bool selects(const KubeObject& selector, const KubeObject& labels);

/// A selector as a query wants it: "a=b,c in (d,e),!f".
std::string selector_text(const KubeObject& selector);

}  // namespace ichor
