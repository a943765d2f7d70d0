#pragma once

#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "model/node_view.h"
#include "model/outcome.h"
#include "model/upgrade_request.h"

namespace ichor {

/// What upgrades ask of the Kubernetes API: who runs where, and to move pods away from a node. The
/// changes are made from engine/act.cc only, after the intent is durable; all of them may be
/// repeated.
class NodeDrain {
 public:
  virtual ~NodeDrain() = default;

  /// Code::not_found where the API has no such Node.
  virtual Task<CallResult<KubeNodeView>> look(Context context, NodeName node) = 0;
  /// Keeps new pods away from the node. `uid` is that of the Node that was seen.
  virtual Task<Outcome> cordon(Context context, NodeName node, std::string uid) = 0;
  /// Takes back what cordon() did, and no cordon of others.
  virtual Task<Outcome> uncordon(Context context, NodeName node, std::string uid) = 0;
  /// Asks these pods to leave. Refused with Code::resource_exhausted if a PodDisruptionBudget
  /// forbids one of them now; the others were asked all the same.
  virtual Task<Outcome> evict(Context context, std::vector<PodToEvict> pods) = 0;

  virtual Task<CallResult<KubeClusterView>> look_at_cluster(Context context) = 0;
  /// Gives the DaemonSet kube-proxy that has this uid another image.
  virtual Task<Outcome> update_proxy(Context context, std::string image, std::string uid) = 0;
};

}  // namespace ichor
