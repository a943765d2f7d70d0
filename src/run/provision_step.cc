#include "run/provision_step.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "cluster/machine_search.h"
#include "cluster/workspace.h"
#include "run/engine_run.h"
#include "run/provider_access.h"

namespace ichor {

namespace {

constexpr Duration kLookAgain = std::chrono::seconds(3);

Task<RunResult> work_and_show(ProvisionRun& run, Context context, const ProvisionOptions& options,
                              const std::function<void(const ProvisionRun&)>& seen) {
  RunResult result = co_await options.work(run, context);
  if (seen) seen(run);
  co_return result;
}

Task<void> into(Task<RunResult> work, RunResult& result) { result = co_await std::move(work); }

bool is_configured(const NodePlan& plan, const JournalFacts& facts) {
  return facts.last(Call::apply_configuration, plan.name) != nullptr;
}

/// The nodes without a config that no machine is.
std::vector<const NodePlan*> silent_nodes(const ProfileInput& input, const Workspace& space) {
  std::vector<const NodePlan*> silent;
  const MachineMatch match = space.finder->match(input.profile, space.facts);
  for (const NodePlan& plan : input.profile.nodes) {
    const bool there = match.machine_of.contains(plan.name);
    if (!there && !is_configured(plan, space.facts)) silent.push_back(&plan);
  }
  return silent;
}

bool is_ambiguous(const ProfileInput& input, const Workspace& space) {
  return !space.finder->match(input.profile, space.facts).ambiguous.empty();
}

Task<void> watch_boot(ProvisionRun& run, Context context, const ProfileInput& input,
                      Workspace& space, Host& host) {
  const Context limited = context.within(input.profile.budgets.discover);
  while (true) {
    const std::vector<IpAddress> told = co_await run.guest_addresses(limited);
    space.finder->look_first_at(told);
    co_await space.finder->look(limited, input.profile, space.facts);
    const auto silent = silent_nodes(input, space);
    // Two machines that are one node do not become less by waiting.
    if (silent.empty() || is_ambiguous(input, space) || context.cancelled()) co_return;
    for (const NodePlan* plan : silent) {
      host.terminal.display().emit({EventKind::waiting, context.now(), plan->name, "provision",
                                    fmt::format("VM {} boots; no machine with MAC {} answers yet",
                                                plan->vmid.value_or(0), plan->mac.value())});
    }
    const Wake wake = co_await sleep_for(limited, kLookAgain);
    if (wake != Wake::signalled) co_return;
  }
}

Finding never_boots(const NodePlan& plan) {
  return {Severity::error,
          "P8",
          plan.name,
          "provision",
          fmt::format("VM {} ({}) runs, and no machine with MAC {} answers on port 50000",
                      plan.vmid.value_or(0), plan.name.value(), plan.mac.value()),
          fmt::format("look at its console in Proxmox: does it boot the Talos image, does it get "
                      "an address by DHCP, are bridge and VLAN those of network.node_cidr? Correct "
                      "it, then `ichor proxmox stop {} && ichor up --provision` boots it again and "
                      "continues",
                      plan.name.value())};
}

}  // namespace

Task<RunResult> make_machines(ProvisionRun& run, Context context, const ProfileInput& input,
                              Workspace& space, Host& host) {
  RunResult result = co_await run.bring_up(context, ProvisionRun::Goal::running);
  if (result.exit != Exit::done || !space.finder) co_return result;
  co_await watch_boot(run, context, input, space, host);
  if (context.cancelled()) {
    result.exit = Exit::interrupted;
    result.verdict = "interrupted while machines boot; the same command continues from there";
    co_return result;
  }
  if (const auto certain = judge_search(input.profile, space, host); !certain) {
    const RunResult& doubt = certain.error();
    result.exit = doubt.exit;
    result.verdict = doubt.verdict;
    result.findings.insert(result.findings.end(), doubt.findings.begin(), doubt.findings.end());
    co_return result;
  }
  for (const NodePlan* plan : silent_nodes(input, space)) {
    result.findings.push_back(never_boots(*plan));
    if (result.exit == Exit::done) result.verdict = result.findings.back().what;
    result.exit = Exit::out_of_time;
  }
  co_return result;
}

RunResult run_provision(const ProfileInput& input, const RunTarget& target, ClusterState* state,
                        const ProvisionOptions& options, Host& host,
                        const std::function<void(const ProvisionRun&)>& seen) {
  auto provider = reach_provider(input, target, host);
  if (!provider) return std::move(provider).error();
  const ProvisionWork work = [&](ProvisionRun& run, Context context) {
    return work_and_show(run, context, options, seen);
  };
  CancelScope scope;
  const Context context{&host.loop.clock(), &scope};
  RunResult result;
  host.terminal.display().begin(input.profile);
  int signal = 0;
  if (options.looks_only || !state) {
    ProvisionRun run({host.loop.clock(), **provider, host.terminal.display(), nullptr},
                     input.profile, *input.provider, {});
    signal = host.loop.drive(into(work(run, context), result), scope);
  } else {
    std::optional<RunTurn> own;
    if (!options.turn) {
      auto taken = take_turn(state->journal(), host);
      if (!taken) return std::move(taken).error();
      own.emplace(*std::move(taken));
    }
    const RunTurn& turn = own ? *own : *options.turn;
    const Provisioning world{host.loop.clock(), **provider,    host.terminal.display(),
                             state->journal(),  input.profile, *input.provider};
    signal = host.loop.drive(
        into(provision(context, world, {turn.id, !own}, turn.lock, work), result), scope);
  }
  if (signal == SIGTERM && result.exit == Exit::interrupted) result.exit = Exit::terminated;
  return result;
}

}  // namespace ichor
