#include "run/kube_layers.h"

#include "model/kubernetes_plan.h"
#include "run/kube_reach.h"

namespace ichor {

namespace {

constexpr Duration kLook = std::chrono::seconds(30);

/// What the gates say while they look is of no interest for one look.
class Silence final : public EventSink {
 public:
  void emit(const Event&) override {}
};

Task<void> look_into(Context context, GateWorld place, KubernetesPlan plan,
                     std::vector<std::string> expected, bool waits, std::optional<Overview>& view) {
  if (waits) {
    view = co_await wait_for_layers(context, place, plan, std::move(expected));
  } else {
    view = co_await look_at_layers(context, place, plan, std::move(expected));
  }
}

}  // namespace

std::optional<Overview> look_at_kubernetes(const std::string& file, const ProfileInput& input,
                                           const RunTarget& target, Duration patience, Host& host) {
  const auto kubeconfig = find_kubeconfig(file, input, target, host);
  if (!kubeconfig) return std::nullopt;
  auto client = host.network.open_kube(*kubeconfig, file.empty() ? target.dial : nullptr);
  if (!client) return std::nullopt;
  const KubernetesPlan plan =
      input.profile.kubernetes ? *input.profile.kubernetes : KubernetesPlan{};
  std::vector<std::string> names;
  for (const NodePlan& node : input.profile.nodes) names.push_back(node.name.value());
  const bool waits = patience > Duration::zero();
  Silence silence;
  EventSink& events = waits ? static_cast<EventSink&>(host.terminal.display()) : silence;
  const GateWorld place{host.loop.clock(), host.random, client->get(), events, "status"};
  CancelScope scope;
  const Context context = Context{&host.loop.clock(), &scope}.within(waits ? patience : kLook);
  std::optional<Overview> view;
  const int signal =
      host.loop.drive(look_into(context, place, plan, std::move(names), waits, view), scope);
  if (signal != 0) return std::nullopt;
  return view;
}

void show_layers(const Overview& view, Host& host) {
  Listing layers;
  layers.type = "layer";
  layers.columns = {{"layer", "LAYER"}, {"state", "STATE"}, {"detail", "DETAIL"}};
  for (const Layer& layer : view.layers) {
    nlohmann::ordered_json row;
    row["layer"] = layer.name;
    row["state"] = layer.state;
    row["detail"] = layer.detail;
    layers.rows.push_back(std::move(row));
  }
  host.terminal.display().show(layers);
  Listing nodes;
  nodes.type = "kubernetes-node";
  nodes.columns = {
      {"node", "NODE"}, {"ready", "READY"}, {"kubelet", "KUBELET"}, {"reason", "REASON"}};
  for (const NodeLine& line : view.nodes) {
    nlohmann::ordered_json row;
    row["node"] = line.name;
    row["ready"] = line.ready;
    row["kubelet"] = line.version;
    row["reason"] = line.reason;
    nodes.rows.push_back(std::move(row));
  }
  if (!nodes.rows.empty()) host.terminal.display().show(nodes);
}

std::vector<std::string> layers_waiting(const Overview& view) {
  std::vector<std::string> names;
  for (const Layer& layer : view.layers) {
    if (layer.state == "waiting") names.push_back(layer.name);
  }
  return names;
}

}  // namespace ichor
