#include "phase/kubernetes/cilium_status.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/gates.h"
#include "phase/kubernetes/tools.h"

namespace ichor {

namespace {

/// How long the program itself may wait; its agents are ready by then.
constexpr Duration kPatience = std::chrono::minutes(1);
/// And how much longer it may take.
constexpr Duration kMore = std::chrono::seconds(15);

ProcessCall status_call(PhaseRun& run, Duration patience) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience).count();
  ProcessCall call = tool_call(run.world, run.material, "cilium",
                               {"status", "--namespace", run.material.plan.gates.cilium_namespace,
                                "--wait", "--wait-duration", fmt::format("{}s", seconds)});
  call.limit = patience + kMore;
  return call;
}

Duration patience_of(const Context& context) {
  if (context.deadline == kNever) return kPatience;
  return std::clamp<Duration>(context.deadline - context.now() - kMore, std::chrono::seconds(1),
                              kPatience);
}

}  // namespace

Task<void> pass_cilium(Context context, PhaseRun& run) {
  const bool ready = co_await pass(context, run, cilium_gate(run.material.plan.gates));
  if (!ready || !has_tool(run.material.plan, run.world.processes, "cilium")) co_return;
  ProcessCall call = status_call(run, patience_of(context));
  const auto said = co_await tool_output(context, run.world, std::move(call));
  if (said) {
    run.say(EventKind::acted, "cilium: `cilium status` has nothing to complain about");
  } else if (said.error().code == Errc::cancelled) {
    run.report.worsen(StepEnd::cancelled);
  } else if (said.error().code == Errc::io) {
    // A program that cannot be run says nothing about the cluster.
    run.warn({"cilium", said.error().message, "install a cilium that runs here", "L14", false});
  } else {
    run.stop_at("cilium",
                {"cilium status", said.error().message,
                 fmt::format("`cilium status`, and what it names: `kubectl -n {} logs ds/cilium`",
                             run.material.plan.gates.cilium_namespace),
                 "K1", false},
                StepEnd::out_of_time);
  }
}

}  // namespace ichor
