// What an upgrade of Kubernetes asks about the cluster as a whole.

#include <algorithm>
#include <array>

#include "engine/kube_drain.h"
#include "phase/kubernetes/json_view.h"
#include "phase/removed_in_kubernetes.h"

namespace ichor {

namespace {

constexpr std::string_view kProxy = "kube-proxy";
/// Objects of one kind that are looked at one by one: what more there are, the same clients wrote.
constexpr std::size_t kObjectsMax = 64;

KubeRef proxy_ref() { return {{"apps", "v1", "DaemonSet"}, "kube-system", std::string(kProxy)}; }

std::string image_in(const KubeObject& daemon_set) {
  const KubeObject& containers = at(daemon_set, {"spec", "template", "spec", "containers"});
  if (!containers.is_array()) return {};
  for (const KubeObject& container : containers) {
    if (text_at(container, {"name"}) == kProxy) return text_at(container, {"image"});
  }
  return {};
}

/// The client that last wrote the object with this API version; empty: none did. The API server
/// writes objects of its own.
std::string writer_with(const KubeObject& object, const std::string& api_version) {
  const KubeObject& fields = at(object, {"metadata", "managedFields"});
  if (!fields.is_array()) return {};
  for (const KubeObject& entry : fields) {
    const std::string& manager = text_at(entry, {"manager"});
    if (manager.starts_with("api-priority-and-fairness")) continue;
    if (text_at(entry, {"apiVersion"}) == api_version) return manager.empty() ? "?" : manager;
  }
  return {};
}

std::string version_text(const KubeKind& kind) { return kind.group + "/" + kind.version; }

/// Whether what the server says means that it does not have the kind.
bool not_served(const CallError& error) { return error.code == Code::not_found; }

Task<CallResult<void>> find_use(Context context, KubeClient& api, const RemovedApi& removed,
                                std::vector<RemovedApiUse>& uses) {
  const KubeKind kind{std::string(removed.group), std::string(removed.version),
                      std::string(removed.kind)};
  const auto served = co_await api.find_kind(context, kind);
  if (!served && !not_served(served.error())) co_return forward_error(served);
  if (!served) co_return CallResult<void>();
  KubeQuery all{kind, {}, {}, {}};
  const auto listed = co_await api.list(context, std::move(all));
  if (!listed && !not_served(listed.error())) co_return forward_error(listed);
  if (!listed) co_return CallResult<void>();
  std::size_t count = 0;
  for (const KubeObject& one : listed->items) {
    if (++count > kObjectsMax) break;
    KubeRef ref{kind, namespace_in(one), name_in(one)};
    RemovedApiUse use{removed.minor, version_text(kind) + " " + kind.kind, to_text(ref), {}};
    if (!removed.whole_kind) {
      // Lists come without the names of those who wrote.
      const auto object = co_await api.get(context, std::move(ref));
      if (!object && !not_served(object.error())) co_return forward_error(object);
      if (object) use.by = writer_with(*object, version_text(kind));
      if (use.by.empty()) continue;
    }
    uses.push_back(std::move(use));
    break;
  }
  co_return CallResult<void>();
}

CallError away(Call call) {
  return {call, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
          "there is no kubeconfig yet that reaches it"};
}

}  // namespace

std::string owner_of(const KubeObject& object) {
  const KubeObject& labels = at(object, {"metadata", "labels"});
  const KubeObject& annotations = at(object, {"metadata", "annotations"});
  for (const KubeObject* marks : {&labels, &annotations}) {
    if (!marks->is_object()) continue;
    for (const auto& [key, mark] : marks->items()) {
      const bool flux = key.find("toolkit.fluxcd.io/") != key.npos;
      if (flux) return "Flux";
      if (key.starts_with("meta.helm.sh/")) return "Helm";
      if (key == "app.kubernetes.io/managed-by" && mark == "Helm") return "Helm";
    }
  }
  const KubeObject& fields = at(object, {"metadata", "managedFields"});
  if (!fields.is_array()) return {};
  // Those who write it in every cluster that Talos made.
  constexpr std::array<std::string_view, 4> kOurs = {"talos", "ichor", "kube-controller-manager",
                                                     "Talos"};
  for (const KubeObject& entry : fields) {
    const std::string& manager = text_at(entry, {"manager"});
    const bool applies = text_at(entry, {"operation"}) == "Apply";
    const bool ours = std::find(kOurs.begin(), kOurs.end(), manager) != kOurs.end();
    if (manager == "helm" || manager == "helm-controller") return "Helm";
    if (applies && !ours) return manager;
  }
  return {};
}

Task<CallResult<KubeClusterView>> KubeDrain::look_at_cluster(Context context) {
  KubeClient* api = client();
  if (!api) co_return tl::unexpected(away(Call::kube_read));
  KubeClusterView view;
  const auto proxy = co_await api->get(context, proxy_ref());
  if (!proxy && !not_served(proxy.error())) co_return forward_error(proxy);
  if (proxy) {
    view.proxy_uid = text_at(*proxy, {"metadata", "uid"});
    view.proxy_image = image_in(*proxy);
    view.proxy_owner = owner_of(*proxy);
  }
  for (const RemovedApi& removed : removed_apis()) {
    const auto looked = co_await find_use(context, *api, removed, view.removed_apis);
    if (!looked) co_return forward_error(looked);
  }
  co_return view;
}

Task<Outcome> KubeDrain::update_proxy(Context context, std::string image, std::string uid) {
  KubeObject wanted{{"apiVersion", "apps/v1"}, {"kind", "DaemonSet"}};
  wanted["metadata"] = {
      {"namespace", "kube-system"}, {"name", std::string(kProxy)}, {"uid", std::move(uid)}};
  KubeObject container{{"name", std::string(kProxy)}, {"image", std::move(image)}};
  wanted["spec"]["template"]["spec"]["containers"] = KubeObject::array({std::move(container)});
  // Talos wrote the image when it bootstrapped the cluster, and never writes it again.
  const KubeApply taking_over{.force = true};
  return apply(context, Call::update_proxy, std::move(wanted), taking_over);
}

}  // namespace ichor
