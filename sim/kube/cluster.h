#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "async/clock.h"
#include "port/kube_client.h"
#include "sim/kube/api_server.h"
#include "sim/kube/controllers.h"

namespace ichor::sim {

/// A Kubernetes API for tests, asked without a network: the model of sim/kube/api_server.h with its
/// own controllers, whose nodes and workloads are whatever a test puts there.
class KubeCluster final : public KubeClient {
 public:
  explicit KubeCluster(Clock& clock);

  // What the world does.

  void serve(const KubeKind& kind, const std::string& plural, bool namespaced) {
    api_.serve(kind, plural, namespaced);
  }
  void stop_serving(const KubeKind& kind) { api_.stop_serving(kind); }
  /// Another client creates or replaces an object.
  void put(KubeObject object, std::string_view manager = "outsider");
  void erase(const KubeRef& ref) { api_.erase(ref); }
  const KubeObject* find(const KubeRef& ref) const { return api_.find(ref); }
  std::string version_of(const KubeRef& ref) const;
  ApiServer& api() { return api_; }
  Controllers& controllers() { return controllers_; }

  // Faults.

  /// Asked before every call; an error is the call's answer.
  std::function<std::optional<CallError>(Call, const KubeRef&)> trouble;
  /// All watches end; with `forget` they cannot be resumed.
  void break_watches(bool forget);

  // What was asked of it.

  int applies{0}, dry_runs{0}, removals{0}, evictions{0}, approvals{0}, lists{0}, watches{0};

  Task<CallResult<void>> ready(Context context) override;
  Task<CallResult<KubeResource>> find_kind(Context context, KubeKind kind) override;
  Task<CallResult<KubeObject>> get(Context context, KubeRef ref) override;
  Task<CallResult<KubeList>> list(Context context, KubeQuery query) override;
  Task<CallResult<std::unique_ptr<KubeStream>>> watch(Context context, KubeQuery query,
                                                      std::string resource_version) override;
  Task<CallResult<KubeObject>> apply(Context context, const KubeObject& object,
                                     KubeApply options) override;
  Task<CallResult<void>> remove(Context context, KubeRef ref, std::string uid) override;
  Task<CallResult<void>> evict(Context context, KubeRef pod, std::string uid) override;
  Task<CallResult<void>> approve_csr(Context context, KubeObject csr, std::string reason) override;

 private:
  std::optional<CallError> asked(Call call, const KubeRef& ref) const;

  ApiServer api_;
  Controllers controllers_;
};

}  // namespace ichor::sim
