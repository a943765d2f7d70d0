#include "phase/kubernetes/talos_services.h"

#include <algorithm>
#include <fmt/format.h>

#include "async/task_group.h"

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

Task<std::vector<Unmet>> ask_all(Context context, TalosApi& talos, const ClusterProfile& profile) {
  std::vector<std::vector<Unmet>> each(profile.nodes.size());
  TaskGroup group(context);
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    group.spawn(ask(context, talos, profile.nodes[i], profile.budgets, each[i]));
  }
  co_await group.join();
  std::vector<Unmet> all;
  for (std::vector<Unmet>& some : each) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  co_return all;
}

}  // namespace

Task<GateEnd> wait_for_services(Context context, TalosApi& talos, const ClusterProfile& profile,
                                EventSink& events, std::string_view phase, bool once) {
  const MonoTime began = context.now();
  GateEnd end;
  while (true) {
    end.unmet = co_await ask_all(context, talos, profile);
    end.took = context.now() - began;
    if (end.unmet.empty() || once) co_return end;
    Event event;
    event.kind = EventKind::waiting;
    event.at = context.now();
    event.phase = phase;
    event.text = fmt::format("talos-services: {}", to_text(end.unmet.front()));
    events.emit(event);
    const Wake wake = co_await sleep_for(context, profile.budgets.poll);
    end.cancelled = wake == Wake::cancelled;
    if (end.cancelled || context.expired()) co_return end;
  }
}

}  // namespace ichor
