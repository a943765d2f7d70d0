#include "engine/dry_run_kube.h"

namespace ichor {

namespace {

CallError refused(Call call) {
  CallError error;
  error.call = call;
  error.progress = Progress::not_sent;
  error.code = Code::failed_precondition;
  error.text = "nothing is changed in a dry run";
  return error;
}

}  // namespace

Task<CallResult<KubeObject>> DryRunKube::get(Context context, KubeRef ref) {
  const auto planned = planned_.find(ref);
  if (planned != planned_.end()) co_return planned->second;
  co_return co_await inner_->get(context, std::move(ref));
}

Task<CallResult<KubeObject>> DryRunKube::apply(Context context, const KubeObject& object,
                                               KubeApply options) {
  if (!options.dry_run) {
    planned_[ref_of(object)] = object;
    co_return object;
  }
  co_return co_await inner_->apply(context, object, options);
}

Task<CallResult<void>> DryRunKube::remove(Context, KubeRef, std::string) {
  co_return tl::unexpected(refused(Call::kube_delete));
}

Task<CallResult<void>> DryRunKube::evict(Context, KubeRef, std::string) {
  co_return tl::unexpected(refused(Call::evict));
}

Task<CallResult<void>> DryRunKube::approve_csr(Context, KubeObject, std::string) {
  co_return tl::unexpected(refused(Call::approve_csr));
}

}  // namespace ichor
