#include "sim/kube/cluster.h"

#include "phase/kubernetes/json_view.h"

namespace ichor::sim {

namespace {

KubeRef any_of(const KubeKind& kind) {
  KubeRef ref;
  ref.kind = kind;
  return ref;
}

KubeObject name_space(const std::string& name) {
  return {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
}

}  // namespace

KubeCluster::KubeCluster(Clock& clock) : api_(clock), controllers_(api_, clock) {
  for (const char* name : {"default", "kube-system"}) api_.put(name_space(name), "kube-apiserver");
}

void KubeCluster::put(KubeObject object, std::string_view manager) {
  const KubeRef ref = ref_of(object);
  const bool homeless =
      !ref.name_space.empty() && !api_.find({{"", "v1", "Namespace"}, "", ref.name_space});
  if (homeless) api_.put(name_space(ref.name_space), manager);
  api_.put(std::move(object), manager);
}

std::string KubeCluster::version_of(const KubeRef& ref) const {
  const KubeObject* object = find(ref);
  return object ? text_at(*object, {"metadata", "resourceVersion"}) : std::string();
}

void KubeCluster::break_watches(bool forget) {
  if (forget) api_.compact();
  api_.end_watches(false);
}

std::optional<CallError> KubeCluster::asked(Call call, const KubeRef& ref) const {
  return trouble ? trouble(call, ref) : std::nullopt;
}

Task<CallResult<void>> KubeCluster::ready(Context) {
  if (auto error = asked(Call::kube_ready, {})) co_return tl::unexpected(*std::move(error));
  co_return CallResult<void>();
}

Task<CallResult<KubeResource>> KubeCluster::find_kind(Context, KubeKind kind) {
  if (auto error = asked(Call::kube_read, any_of(kind))) {
    co_return tl::unexpected(*std::move(error));
  }
  if (const KubeResource* resource = api_.served(kind)) co_return *resource;
  co_return tl::unexpected(CallError{Call::kube_read, Progress::answered, TlsVerdict::fine,
                                     Code::not_found, kind.kind + " is not served"});
}

Task<CallResult<KubeObject>> KubeCluster::get(Context, KubeRef ref) {
  if (auto error = asked(Call::kube_read, ref)) co_return tl::unexpected(*std::move(error));
  co_return api_.get(ref);
}

Task<CallResult<KubeList>> KubeCluster::list(Context, KubeQuery query) {
  ++lists;
  if (auto error = asked(Call::kube_read, any_of(query.kind))) {
    co_return tl::unexpected(*std::move(error));
  }
  co_return api_.list(query);
}

Task<CallResult<std::unique_ptr<KubeStream>>> KubeCluster::watch(Context context, KubeQuery query,
                                                                 std::string resource_version) {
  ++watches;
  if (auto error = asked(Call::kube_read, any_of(query.kind))) {
    co_return tl::unexpected(*std::move(error));
  }
  auto channel = api_.watch(query, resource_version);
  if (!channel) co_return forward_error(channel);
  std::unique_ptr<KubeStream> stream = std::make_unique<ChannelStream>(
      *std::move(channel), context, [this] { return std::to_string(api_.version()); });
  co_return stream;
}

Task<CallResult<KubeObject>> KubeCluster::apply(Context, const KubeObject& object,
                                                KubeApply options) {
  const KubeRef ref = ref_of(object);
  if (auto error = asked(Call::kube_apply, ref)) co_return tl::unexpected(*std::move(error));
  if (auto refusal = api_.admission(Call::kube_apply, ref)) {
    co_return tl::unexpected(std::move(refusal->error));
  }
  auto applied = api_.apply(object, options, "ichor");
  if (applied) ++(options.dry_run ? dry_runs : applies);
  co_return applied;
}

Task<CallResult<void>> KubeCluster::remove(Context, KubeRef ref, std::string uid) {
  if (auto error = asked(Call::kube_delete, ref)) co_return tl::unexpected(*std::move(error));
  auto removed = api_.remove(ref, uid);
  if (removed) ++removals;
  co_return removed;
}

Task<CallResult<void>> KubeCluster::evict(Context, KubeRef pod, std::string uid) {
  if (auto error = asked(Call::evict, pod)) co_return tl::unexpected(*std::move(error));
  auto evicted = api_.evict(pod, uid);
  if (evicted) ++evictions;
  co_return evicted;
}

Task<CallResult<void>> KubeCluster::approve_csr(Context, KubeObject csr, std::string reason) {
  if (auto error = asked(Call::approve_csr, ref_of(csr))) {
    co_return tl::unexpected(*std::move(error));
  }
  auto approved = api_.approve(csr, reason);
  if (approved) ++approvals;
  co_return approved;
}

}  // namespace ichor::sim
