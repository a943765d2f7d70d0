#pragma once

#include <map>
#include <memory>

#include "port/kube_client.h"

namespace ichor {

/// A KubeClient through which nothing can be changed: reads pass, what would be applied is kept
/// here and got from here, and all other changes are answered as not sent. Every dry run is given
/// this one, so that the promise does not rest on its phases.
class DryRunKube final : public KubeClient {
 public:
  explicit DryRunKube(std::shared_ptr<KubeClient> inner) : inner_(std::move(inner)) {}

  Task<CallResult<void>> ready(Context context) override { return inner_->ready(context); }
  Task<CallResult<KubeResource>> find_kind(Context context, KubeKind kind) override {
    return inner_->find_kind(context, std::move(kind));
  }
  Task<CallResult<KubeObject>> get(Context context, KubeRef ref) override;
  Task<CallResult<KubeList>> list(Context context, KubeQuery query) override {
    return inner_->list(context, std::move(query));
  }
  Task<CallResult<std::unique_ptr<KubeStream>>> watch(Context context, KubeQuery query,
                                                      std::string resource_version) override {
    return inner_->watch(context, std::move(query), std::move(resource_version));
  }
  Task<CallResult<KubeObject>> apply(Context context, const KubeObject& object,
                                     KubeApply options) override;
  Task<CallResult<void>> remove(Context context, KubeRef ref, std::string uid) override;
  Task<CallResult<void>> evict(Context context, KubeRef pod, std::string uid) override;
  Task<CallResult<void>> approve_csr(Context context, KubeObject csr, std::string reason) override;

 private:
  std::shared_ptr<KubeClient> inner_;
  std::map<KubeRef, KubeObject> planned_;
};

}  // namespace ichor
