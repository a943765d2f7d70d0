#include "phase/kubeconfig.h"

#include <fmt/format.h>

namespace ichor {

std::optional<Decision> fetch_kubeconfig(const Wanted& wanted, const ClusterView& view) {
  if (view.kubeconfig_written) return std::nullopt;
  for (const NodeView& node : view.nodes) {
    const bool serves = node.presence == Presence::configured &&
                        wanted.profile.find(node.node)->role == Role::control_plane;
    if (!serves) continue;
    return Act{NodeCall{Call::kubeconfig, node.node, {}, "no kubeconfig was written yet", kNever}};
  }
  return Wait{"no control plane answers"};
}

Decision Kubeconfig::decide(const Wanted& wanted, const ClusterView& view) const {
  if (auto fetching = fetch_kubeconfig(wanted, view)) return *std::move(fetching);
  if (view.api_ready != Known::yes) {
    return Wait{view.api_trouble ? to_text(*view.api_trouble)
                                 : std::string("the Kubernetes API has not answered yet")};
  }
  return Satisfied{};
}

}  // namespace ichor
