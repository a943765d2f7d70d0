#include "run/drain_access.h"

#include "engine/dry_run_kube.h"
#include "engine/kube_drain.h"
#include "run/kube_reach.h"

namespace ichor {

std::unique_ptr<NodeDrain> make_drain(const ProfileInput& input, const RunTarget& target,
                                      Workspace& space, bool reads_only, Host& host) {
  const auto open = [&input, &target, &space, reads_only, &host]() -> std::shared_ptr<KubeClient> {
    if (!space.state) return nullptr;
    const auto kubeconfig =
        kubeconfig_of({}, *space.state, kubeconfig_check(input.profile, space), host);
    if (!kubeconfig) return nullptr;
    auto client = host.network.open_kube(*kubeconfig, target.dial);
    if (!client) return nullptr;
    std::shared_ptr<KubeClient> opened = *std::move(client);
    if (reads_only) opened = std::make_shared<DryRunKube>(std::move(opened));
    return opened;
  };
  return std::make_unique<KubeDrain>(open);
}

}  // namespace ichor
