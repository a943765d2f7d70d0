#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "async/context.h"
#include "async/task.h"
#include "model/call.h"

namespace ichor {

struct PodPort {
  std::string name_space;
  std::string pod;
  std::uint16_t port{0};
};

/// TCP ports of pods, reached through the API server as `kubectl port-forward` does.
///
/// Errors: Code::permission_denied where the kubeconfig may not forward ports, not_found for a pod
/// that is gone, unavailable for what may pass: no program listens at the port, a kubelet is away.
///
/// A KubeClient may be one of these as well; not every body of it can reach pods.
///
/// Bodies: kube/https_kube_client.h, by kube/pod_forward.h.
class PodPorts {
 public:
  virtual ~PodPorts() = default;

  /// Sends `message` and gives what comes back, as soon as `whole` says of it that nothing is
  /// missing. More than 64 KiB are an error.
  virtual Task<CallResult<std::string>> exchange(Context context, PodPort where,
                                                 std::string message,
                                                 std::function<bool(std::string_view)> whole) = 0;
};

}  // namespace ichor
