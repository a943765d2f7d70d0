#include "phase/kubernetes/overview.h"

#include <algorithm>
#include <fmt/format.h>

#include "async/signal.h"
#include "phase/kubernetes/gate_table.h"
#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/readiness.h"

namespace ichor {

namespace {

/// For one look at everything.
constexpr Duration kLook = std::chrono::seconds(30);

/// The objects of a kind; none where it is not served.
Task<CallResult<SeenObjects>> all_of(Context context, KubeClient& kube, KubeKind kind) {
  KubeQuery query;
  query.kind = std::move(kind);
  auto list = co_await kube.list(context, std::move(query));
  if (list) co_return std::move(list->items);
  if (list.error().code == Code::not_found) co_return SeenObjects{};
  co_return forward_error(list);
}

std::string ready_of(const SeenObjects& objects, std::string_view what) {
  const auto ready = std::count_if(objects.begin(), objects.end(), [](const KubeObject& object) {
    return readiness_of(object).ready();
  });
  return fmt::format("{} of {} {}", ready, objects.size(), what);
}

Layer layer_of(std::string name, std::vector<Unmet> unmet, std::string detail, bool absent) {
  Layer layer;
  layer.name = std::move(name);
  layer.state = absent ? "absent" : unmet.empty() ? "ok" : "waiting";
  layer.detail = std::move(detail);
  if (!absent) layer.unmet = std::move(unmet);
  if (!layer.unmet.empty()) layer.detail += "; " + to_text(layer.unmet.front());
  return layer;
}

NodeLine line_of(const KubeObject& node) {
  const Readiness readiness = readiness_of(node);
  return {name_in(node), readiness.ready(), text_at(node, {"status", "nodeInfo", "kubeletVersion"}),
          readiness.reason};
}

/// The gates of a layer, as the table has them.
std::vector<Gate> gates_of(std::string_view layer, const KubernetesPlan& plan,
                           const std::vector<std::string>& expected) {
  std::vector<Gate> gates;
  for (const GateRow& row : gate_table()) {
    if (row.layer != layer) continue;
    const bool names = row.name == "nodes";
    gates.push_back(make_gate(
        row.name, {plan, names ? expected : std::vector<std::string>(), Duration::zero()}));
  }
  return gates;
}

/// One look through the gates of a layer.
Task<std::vector<Unmet>> unmet_in(Context context, GateWorld place, std::vector<Gate> gates) {
  std::vector<Unmet> unmet;
  for (Gate& gate : gates) {
    gate.once = true;
    GateEnd end = co_await wait_for(context, place, gate);
    std::move(end.unmet.begin(), end.unmet.end(), std::back_inserter(unmet));
  }
  co_return unmet;
}

bool is_missing(const std::vector<Unmet>& unmet, const std::string& name) {
  return std::any_of(unmet.begin(), unmet.end(), [&](const Unmet& one) {
    return one.object.ends_with("/" + name) && one.missing;
  });
}

Task<void> add_nodes(Context context, GateWorld place, const KubernetesPlan& plan,
                     std::vector<std::string> expected, Overview& view) {
  const KubeKind kind{"", "v1", "Node"};
  const auto nodes = co_await all_of(context, *place.kube, kind);
  if (nodes) {
    for (const KubeObject& node : *nodes) view.nodes.push_back(line_of(node));
  }
  std::vector<Unmet> unmet =
      co_await unmet_in(context, place, gates_of("kubernetes", plan, expected));
  const std::string detail = nodes ? ready_of(*nodes, "nodes Ready") : "nodes cannot be listed";
  view.layers.push_back(layer_of("kubernetes", std::move(unmet), detail, false));
}

Task<void> add_crds(Context context, GateWorld place, const KubernetesPlan& plan, Overview& view) {
  const KubeKind kind{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"};
  const auto crds = co_await all_of(context, *place.kube, kind);
  if (!crds) co_return;
  std::vector<Unmet> unmet = co_await unmet_in(context, place, gates_of("crds", plan, {}));
  view.layers.push_back(
      layer_of("crds", std::move(unmet), ready_of(*crds, "Established"), crds->empty()));
}

/// The CNI that Talos brings itself, or none.
Task<void> add_flannel(Context context, GateWorld place, const KubernetesPlan& plan,
                       Overview& view) {
  const KubeRef flannel{{"apps", "v1", "DaemonSet"}, "kube-system", "kube-flannel"};
  const auto found = co_await place.kube->get(context, flannel);
  if (!found) {
    view.layers.push_back(layer_of("cni", {}, plan.gates.cilium_daemonset, true));
    co_return;
  }
  view.layers.push_back(layer_of("cni", judge_all({*found}, "K1"), "flannel", false));
}

Task<void> add_workloads(Context context, GateWorld place, const KubernetesPlan& plan,
                         Overview& view) {
  std::vector<Unmet> cni = co_await unmet_in(context, place, gates_of("cni", plan, {}));
  const bool no_cni = is_missing(cni, plan.gates.cilium_daemonset);
  if (no_cni) {
    co_await add_flannel(context, place, plan, view);
  } else {
    view.layers.push_back(layer_of("cni", std::move(cni), plan.gates.cilium_daemonset, false));
  }
  std::vector<Unmet> csi = co_await unmet_in(context, place, gates_of("storage", plan, {}));
  const bool no_csi = is_missing(csi, plan.gates.csi_node) && plan.gates.csi_phase == 0;
  view.layers.push_back(layer_of("storage", std::move(csi), plan.gates.csi_namespace, no_csi));
}

Task<void> add_flux(Context context, GateWorld place, const KubernetesPlan& plan, Overview& view) {
  const KubeKind kustomization{"kustomize.toolkit.fluxcd.io", "", "Kustomization"};
  const KubeKind helm_release{"helm.toolkit.fluxcd.io", "", "HelmRelease"};
  const auto kustomizations = co_await all_of(context, *place.kube, kustomization);
  const auto releases = co_await all_of(context, *place.kube, helm_release);
  if (!kustomizations || !releases) co_return;
  std::vector<Unmet> unmet = co_await unmet_in(context, place, gates_of("flux", plan, {}));
  const bool absent = kustomizations->empty() && is_missing(unmet, plan.flux.deployment);
  const std::string detail =
      fmt::format("{}, {}", ready_of(*kustomizations, "Kustomizations Ready"),
                  ready_of(*releases, "HelmReleases Ready"));
  view.layers.push_back(layer_of("flux", std::move(unmet), detail, absent));
}

}  // namespace

Task<Overview> look_at_layers(Context context, GateWorld place, const KubernetesPlan& plan,
                              std::vector<std::string> expected) {
  Overview view;
  co_await add_nodes(context, place, plan, std::move(expected), view);
  co_await add_crds(context, place, plan, view);
  co_await add_workloads(context, place, plan, view);
  co_await add_flux(context, place, plan, view);
  co_return view;
}

Task<Overview> wait_for_layers(Context context, GateWorld place, const KubernetesPlan& plan,
                               std::vector<std::string> expected) {
  std::string last;
  while (true) {
    // Also when time is up: the report must show the state at the end.
    const Context look{context.clock, context.scope, later(context.now(), kLook)};
    Overview view = co_await look_at_layers(look, place, plan, expected);
    const auto waiting = std::find_if(view.layers.begin(), view.layers.end(),
                                      [](const Layer& one) { return one.state == "waiting"; });
    const bool over = context.cancelled() || context.expired();
    if (waiting == view.layers.end() || over) co_return view;
    // Its gates hold, and the look says otherwise: what that is has no watch.
    if (waiting->name == last) co_await sleep_for(context, kReasonPace);
    last = waiting->name;
    for (const Gate& gate : gates_of(waiting->name, plan, expected)) {
      co_await wait_for(context, place, gate);
    }
  }
}

}  // namespace ichor
