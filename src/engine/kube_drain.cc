#include "engine/kube_drain.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

bool has(const KubeObject& list, const std::string& text) {
  return list.is_array() &&
         std::any_of(list.begin(), list.end(), [&](const KubeObject& one) { return one == text; });
}

bool fulfils(const KubeObject& expression, const KubeObject& labels) {
  const std::string& key = text_at(expression, {"key"});
  const std::string& how = text_at(expression, {"operator"});
  const bool is_set = labels.is_object() && labels.contains(key);
  const std::string& value = text_at(labels, {key});
  if (how == "Exists") return is_set;
  if (how == "DoesNotExist") return !is_set;
  if (how == "In") return is_set && has(at(expression, {"values"}), value);
  return !is_set || !has(at(expression, {"values"}), value);
}

/// Whether a label selector takes these labels. An empty one takes all.
bool selects(const KubeObject& selector, const KubeObject& labels) {
  if (!selector.is_object()) return false;
  const KubeObject& equal = at(selector, {"matchLabels"});
  if (equal.is_object()) {
    for (const auto& [key, value] : equal.items()) {
      if (!labels.is_object() || !labels.contains(key) || labels[key] != value) return false;
    }
  }
  const KubeObject& expressions = at(selector, {"matchExpressions"});
  return !expressions.is_array() ||
         std::all_of(expressions.begin(), expressions.end(),
                     [&](const KubeObject& one) { return fulfils(one, labels); });
}

bool stays(const KubeObject& pod) {
  const std::string& phase = text_at(pod, {"status", "phase"});
  if (phase == "Succeeded" || phase == "Failed") return true;
  const KubeObject& annotations = at(pod, {"metadata", "annotations"});
  const bool mirror =
      annotations.is_object() && annotations.contains("kubernetes.io/config.mirror");
  if (mirror) return true;
  const KubeObject& owners = at(pod, {"metadata", "ownerReferences"});
  return owners.is_array() && std::any_of(owners.begin(), owners.end(), [](const auto& owner) {
           const std::string& kind = text_at(owner, {"kind"});
           return flag_at(owner, {"controller"}) && (kind == "DaemonSet" || kind == "Node");
         });
}

/// The budget that keeps a pod where it is; empty: none does. Of a pod that is not Ready only the
/// server can tell, by the budget's policy.
std::string blocked_by(const KubeObject& pod, const SeenObjects& budgets) {
  if (condition_status(pod, "Ready") != "True") return {};
  for (const KubeObject& budget : budgets) {
    const bool its_own = namespace_in(budget) == namespace_in(pod) &&
                         selects(at(budget, {"spec", "selector"}), at(pod, {"metadata", "labels"}));
    if (!its_own || number_at(budget, {"status", "disruptionsAllowed"}) > 0) continue;
    return fmt::format("{}/{} ({} of {} pods are healthy, it wants {})", namespace_in(budget),
                       name_in(budget), number_at(budget, {"status", "currentHealthy"}),
                       number_at(budget, {"status", "expectedPods"}),
                       number_at(budget, {"status", "desiredHealthy"}));
  }
  return {};
}

/// The pods of Kubernetes itself. One that is leaving has a successor.
void note_component(const KubeObject& pod, KubeNodeView& view) {
  const KubeObject& containers = at(pod, {"spec", "containers"});
  const bool leaves = !text_at(pod, {"metadata", "deletionTimestamp"}).empty();
  if (namespace_in(pod) != "kube-system" || leaves || !stays(pod)) return;
  if (!containers.is_array() || containers.empty()) return;
  const std::string& name = text_at(containers.front(), {"name"});
  if (!name.starts_with("kube-")) return;
  view.components[name] = {text_at(containers.front(), {"image"}),
                           condition_status(pod, "Ready") == "True"};
}

CallError away(Call call) {
  return {call, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
          "there is no kubeconfig yet that reaches it"};
}

Outcome outcome_of(Call call, CallError error) {
  error.call = call;
  return Outcome::failed(std::move(error));
}

}  // namespace

KubeNodeView view_of_node(const KubeObject& node, const SeenObjects& pods,
                          const SeenObjects& budgets) {
  KubeNodeView view;
  view.uid = text_at(node, {"metadata", "uid"});
  view.ready = condition_status(node, "Ready") == "True";
  view.cordoned = flag_at(node, {"spec", "unschedulable"});
  view.kubelet_version = text_at(node, {"status", "nodeInfo", "kubeletVersion"});
  for (const KubeObject& pod : pods) {
    if (text_at(pod, {"spec", "nodeName"}) != name_in(node)) continue;
    note_component(pod, view);
    if (stays(pod)) continue;
    PodOnNode& on = view.pods.emplace_back();
    on.name_space = namespace_in(pod);
    on.name = name_in(pod);
    on.uid = text_at(pod, {"metadata", "uid"});
    on.leaving = !text_at(pod, {"metadata", "deletionTimestamp"}).empty();
    on.blocked_by = blocked_by(pod, budgets);
  }
  return view;
}

KubeClient* KubeDrain::client() {
  if (!client_) client_ = open_();
  return client_.get();
}

Task<CallResult<KubeNodeView>> KubeDrain::look(Context context, NodeName name) {
  KubeClient* api = client();
  if (!api) co_return tl::unexpected(away(Call::kube_read));
  const KubeRef ref{{"", "v1", "Node"}, {}, name.value()};
  const auto node = co_await api->get(context, ref);
  if (!node) co_return forward_error(node);
  KubeQuery on_node{{"", "v1", "Pod"}, {}, {}, "spec.nodeName=" + name.value()};
  const auto pods = co_await api->list(context, std::move(on_node));
  if (!pods) co_return forward_error(pods);
  KubeQuery all{{"policy", "v1", "PodDisruptionBudget"}, {}, {}, {}};
  const auto budgets = co_await api->list(context, std::move(all));
  if (!budgets) co_return forward_error(budgets);
  co_return view_of_node(*node, pods->items, budgets->items);
}

Task<Outcome> KubeDrain::apply(Context context, Call call, KubeObject object, KubeApply options) {
  KubeClient* api = client();
  if (!api) co_return Outcome::failed(away(call));
  const auto applied = co_await api->apply(context, object, options);
  if (!applied) co_return outcome_of(call, applied.error());
  co_return Outcome::done();
}

Task<Outcome> KubeDrain::cordon(Context context, NodeName node, std::string uid) {
  // With its uid it changes no Node but the one that was seen, and makes none.
  KubeObject wanted{{"apiVersion", "v1"}, {"kind", "Node"}};
  wanted["metadata"] = {{"name", node.value()}, {"uid", std::move(uid)}};
  wanted["spec"] = {{"unschedulable", true}};
  return apply(context, Call::cordon, std::move(wanted));
}

Task<Outcome> KubeDrain::uncordon(Context context, NodeName node, std::string uid) {
  // A field that its only owner does not apply any more is gone.
  KubeObject wanted{{"apiVersion", "v1"}, {"kind", "Node"}};
  wanted["metadata"] = {{"name", node.value()}, {"uid", std::move(uid)}};
  return apply(context, Call::uncordon, std::move(wanted));
}

Task<Outcome> KubeDrain::evict(Context context, std::vector<PodToEvict> pods) {
  KubeClient* api = client();
  if (!api) co_return Outcome::failed(away(Call::evict));
  std::optional<CallError> first;
  for (const PodToEvict& pod : pods) {
    KubeRef ref{{"", "v1", "Pod"}, pod.name_space, pod.name};
    const auto evicted = co_await api->evict(context, std::move(ref), pod.uid);
    if (evicted) continue;
    const CallError& error = evicted.error();
    // What is gone needs no eviction.
    const bool gone = error.code == Code::not_found || error.code == Code::aborted;
    if (gone && error.progress == Progress::answered) continue;
    if (!first) first = error;
    if (error.progress != Progress::answered) break;
  }
  if (first) co_return outcome_of(Call::evict, *std::move(first));
  co_return Outcome::done();
}

}  // namespace ichor
