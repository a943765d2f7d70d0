#include <fmt/format.h>

#include "phase/kubernetes/gates/queries.h"

namespace ichor {

namespace {

Unmet silent(const NodePlan& node, const CallError& error) {
  return {fmt::format("Node/{}", node.name.value()), to_text(error),
          "is the node up, and are its secrets the ones of this profile?", "K6", false};
}

Task<void> ask(Context context, TalosApi& talos, const NodePlan& node, const Budgets& budgets,
               std::vector<Unmet>& unmet) {
  auto session = co_await talos.open(context.within(budgets.connect), node.address, PeerDemand{});
  if (!session) {
    unmet.push_back(silent(node, session.error()));
    co_return;
  }
  const auto services = co_await (*session)->services(context.within(budgets.call));
  if (!services) {
    unmet.push_back(silent(node, services.error()));
    co_return;
  }
  unmet = judge_services(node.name.value(), *services);
}

Finding skipped() {
  Finding finding;
  finding.severity = Severity::note;
  finding.id = "K6";
  finding.where = "talos-services";
  finding.what = "skipped: there are no secrets or talosconfig to ask Talos with";
  finding.fix = "run it where the state folder is, or with --talosconfig";
  return finding;
}

Task<Probed> ask_services(Context context, const GateWorld& place) {
  Probed probed;
  if (!place.talos || !place.profile) {
    probed.notes.push_back(skipped());
    co_return probed;
  }
  const std::vector<NodePlan>& nodes = place.profile->nodes;
  std::vector<std::vector<Unmet>> each(nodes.size());
  TaskGroup group(context);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    group.spawn(ask(context, *place.talos, nodes[i], place.profile->budgets, each[i]));
  }
  co_await group.join();
  for (std::vector<Unmet>& some : each) append(probed.unmet, std::move(some));
  co_return probed;
}

}  // namespace

Gate talos_services_gate(const GateInput&) {
  Gate gate;
  gate.probe = ask_services;
  return gate;
}

}  // namespace ichor
