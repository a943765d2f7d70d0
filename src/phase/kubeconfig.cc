#include "phase/kubeconfig.h"

#include <fmt/format.h>

namespace ichor {

Decision Kubeconfig::decide(const Wanted&, const ClusterView& view) const {
  if (!view.kubeconfig_written) {
    for (const NodeView& node : view.nodes) {
      if (node.presence != Presence::configured) continue;
      return Act{Action{Call::kubeconfig, node.node, {}, "no kubeconfig was written yet", kNever}};
    }
    return Wait{"no control plane answers"};
  }
  if (view.api_ready != Known::yes) {
    return Wait{view.api_trouble ? to_text(*view.api_trouble)
                                 : std::string("the Kubernetes API has not answered yet")};
  }
  return Satisfied{};
}

}  // namespace ichor
