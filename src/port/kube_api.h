#pragma once

#include "async/context.h"
#include "async/task.h"
#include "base/secret.h"
#include "model/call.h"

namespace ichor {

/// The Kubernetes API of one cluster, reached with a kubeconfig. Grows with the Kubernetes phases.
class KubeApi {
 public:
  virtual ~KubeApi() = default;

  /// Proves that the API server of `kubeconfig` answers /readyz with its CA verified.
  virtual Task<CallResult<void>> ready(Context context, const SecretString& kubeconfig) = 0;
};

}  // namespace ichor
