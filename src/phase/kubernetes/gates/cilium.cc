#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/gates/queries.h"
#include "phase/kubernetes/tools.h"

namespace ichor {

namespace {

/// How long the program itself may wait; its agents are ready by then.
constexpr Duration kPatience = std::chrono::minutes(1);
/// And how much longer it may take.
constexpr Duration kMore = std::chrono::seconds(15);

ProcessCall status_call(const ToolPlace& tools, Duration patience) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience).count();
  ProcessCall call = tool_call(tools, "cilium",
                               {"status", "--namespace", tools.material.plan.gates.cilium_namespace,
                                "--wait", "--wait-duration", fmt::format("{}s", seconds)});
  call.limit = patience + kMore;
  return call;
}

Duration patience_of(const Context& context) {
  if (context.deadline == kNever) return kPatience;
  return std::clamp<Duration>(context.deadline - context.now() - kMore, std::chrono::seconds(1),
                              kPatience);
}

void say(const GateWorld& place, std::string text) {
  Event event;
  event.kind = EventKind::acted;
  event.at = place.clock.now();
  event.phase = place.phase;
  event.text = std::move(text);
  place.events.emit(event);
}

/// Where the program `cilium` is installed it has its say; where it is not, nothing is said.
Task<Probed> ask_cilium(Context context, const GateWorld& place) {
  Probed probed;
  const ToolPlace* tools = place.tools;
  if (!tools || !has_tool(tools->material.plan, tools->processes, "cilium")) co_return probed;
  ProcessCall call = status_call(*tools, patience_of(context));
  const auto said = co_await tool_output(context, tools->processes, std::move(call));
  if (said) {
    say(place, "cilium: `cilium status` has nothing to complain about");
  } else if (said.error().code == Errc::io) {
    // A program that cannot be run says nothing about the cluster.
    Unmet unusable{"cilium", said.error().message, "install a cilium that runs here", "L14", false};
    Finding finding = finding_of(unusable, place.phase);
    finding.severity = Severity::warning;
    probed.notes.push_back(std::move(finding));
  } else {
    Unmet ill{"cilium status", said.error().message,
              fmt::format("`cilium status`, and what it names: `kubectl -n {} logs ds/cilium`",
                          tools->material.plan.gates.cilium_namespace),
              "K1", false};
    probed.unmet.push_back(std::move(ill));
    probed.over = true;
  }
  co_return probed;
}

}  // namespace

Gate cilium_gate(const GateInput& input) {
  const KubernetesPlan::Gates& gates = input.plan.gates;
  Gate gate = pair_gate({gates.cilium_namespace, gates.cilium_daemonset, gates.cilium_operator,
                         "K1", "install Cilium (phase 2)"});
  gate.probe = ask_cilium;
  return gate;
}

}  // namespace ichor
