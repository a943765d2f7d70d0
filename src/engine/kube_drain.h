#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "port/kube_client.h"
#include "port/node_drain.h"

namespace ichor {

/// port/node_drain.h over a Kubernetes client. A cordon is ichor's own field of the Node, applied
/// and released by server-side apply: one that another client made stays.
class KubeDrain final : public NodeDrain {
 public:
  /// Null while the API cannot be reached. Asked until it can.
  using Open = std::function<std::shared_ptr<KubeClient>()>;
  explicit KubeDrain(Open open) : open_(std::move(open)) {}

  Task<CallResult<KubeNodeView>> look(Context context, NodeName node) override;
  Task<Outcome> cordon(Context context, NodeName node, std::string uid) override;
  Task<Outcome> uncordon(Context context, NodeName node, std::string uid) override;
  Task<Outcome> evict(Context context, std::vector<PodToEvict> pods) override;
  Task<CallResult<KubeClusterView>> look_at_cluster(Context context) override;
  Task<Outcome> update_proxy(Context context, std::string image, std::string uid) override;

 private:
  KubeClient* client();
  Task<Outcome> apply(Context context, Call call, KubeObject object, KubeApply options = {});

  Open open_;
  std::shared_ptr<KubeClient> client_;
};

/// Who manages an object besides Talos: "Helm", "Flux" or another manager that applies it; empty:
/// no one.
std::string owner_of(const KubeObject& object);

/// What a drain must know of a Node, its pods and the budgets of the cluster. Pods that stay on
/// their node are left out: those of DaemonSets, static ones, and those that have finished.
KubeNodeView view_of_node(const KubeObject& node, const SeenObjects& pods,
                          const SeenObjects& budgets);

}  // namespace ichor
