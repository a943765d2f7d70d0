#include "phase/ready.h"

#include "base/mutant.h"
#include "phase/etcd_health.h"
#include "phase/verify.h"

namespace ichor {

Decision Ready::decide(const Wanted& wanted, const ClusterView& view) const {
  const Verify verify;
  std::optional<Decision> waiting;
  for (const NodeView& node : view.nodes) {
    Decision decision = verify.decide(wanted, *wanted.profile.find(node.node), node);
    if (std::holds_alternative<Stop>(decision)) return decision;
    if (!node.config_read && std::holds_alternative<Satisfied>(decision)) {
      decision = wait_for_node(*wanted.profile.find(node.node), node);
    }
    if (!waiting && !std::holds_alternative<Satisfied>(decision)) waiting = std::move(decision);
  }
  if (waiting && !mutant("ready-without-nodes")) return *std::move(waiting);
  for (const NodeView& node : view.nodes) {
    if (wanted.now - node.at > kSeenTogether) return Wait{"every node must be looked at again"};
  }
  if (Decision etcd = decide_etcd_health(wanted, view); !std::holds_alternative<Satisfied>(etcd)) {
    return etcd;
  }
  if (view.api_ready != Known::yes) {
    return Wait{view.api_trouble ? to_text(*view.api_trouble)
                                 : std::string("the Kubernetes API has not answered yet")};
  }
  if (wanted.now - view.api_at > kSeenTogether) return Wait{"the Kubernetes API must answer again"};
  return Satisfied{};
}

}  // namespace ichor
