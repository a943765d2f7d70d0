#include "command/provision_step.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "command/engine_run.h"
#include "command/machine_search.h"
#include "command/provider_access.h"
#include "engine/run_lock.h"
#include "lab/proxmox/access.h"
#include "model/finding_record.h"
#include "phase/journal_match.h"

namespace ichor {

namespace {

constexpr Duration kLookAgain = std::chrono::seconds(3);

RunResult refused(Exit exit, Finding finding) {
  RunResult result;
  result.exit = exit;
  result.verdict = finding.what;
  result.findings.push_back(std::move(finding));
  return result;
}

struct Locked {
  const ProfileInput& input;
  const ProvisionWish& wish;
  Provider& provider;
  Desk& desk;
  const std::function<void(const ProvisionRun&)>& seen;
};

Task<RunResult> run_with(Context context, Locked in, Ledger* ledger, ProvisionFacts facts) {
  ProvisionRun run({in.desk.clock(), in.provider, in.desk.display(), ledger}, in.input.profile,
                   *in.input.provider, std::move(facts));
  RunResult result = co_await in.wish.work(run, context);
  if (in.seen) in.seen(run);
  co_return result;
}

Task<RunResult> run_locked(Context context, Locked in, Journal& journal, RunId id, bool alone) {
  const auto lock = co_await RunLock::take(context, journal, in.desk.owner());
  if (!lock) {
    Finding finding{Severity::error,
                    "L7",
                    {},
                    "lock",
                    lock.error().message,
                    "wait for the other run, or `ichor unlock NONCE` if it is certainly gone"};
    co_return refused(Exit::unsafe, std::move(finding));
  }
  Ledger ledger(context, journal, std::move(id));
  const auto records = journal.read();
  auto loaded = ledger.load();
  if (!records || !loaded) {
    Finding finding{Severity::error,
                    "L5",
                    {},
                    "journal",
                    records ? loaded.error().message : records.error().message,
                    "the journal is damaged; nothing was touched. Restore it from a copy"};
    co_return refused(Exit::unsafe, std::move(finding));
  }
  if (auto other = journal_of_another(ledger.facts(), in.input.profile.name)) {
    co_return refused(Exit::unsafe, *std::move(other));
  }
  ProvisionFacts facts;
  for (const JournalRecord& record : *records) facts.fold(record);
  JournalRecord started;
  started.kind = RecordKind::run_started;
  started.key = in.input.profile.name;
  started.value = to_hex(Digest{});
  co_await ledger.append(std::move(started));
  RunResult result = co_await run_with(context, in, &ledger, std::move(facts));
  if (!alone && result.exit == Exit::done) co_return result;
  for (const Finding& finding : result.findings) co_await ledger.append(finding_record(finding));
  JournalRecord ended;
  ended.kind = RecordKind::run_ended;
  ended.key = fmt::to_string(static_cast<int>(result.exit));
  ended.value = result.verdict;
  co_await ledger.append(std::move(ended));
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

Task<void> watch_boot(Context context, const ProfileInput& input, Workspace& space, Desk& desk) {
  const Context limited = context.within(input.profile.budgets.discover);
  while (true) {
    co_await space.finder->look(context, input.profile, space.facts);
    const auto silent = silent_nodes(input, space);
    if (silent.empty() || context.cancelled()) co_return;
    for (const NodePlan* plan : silent) {
      desk.display().emit({EventKind::waiting, context.now(), plan->name, "provision",
                           fmt::format("VM {} boots; no machine with MAC {} answers yet",
                                       plan->vmid.value_or(0), plan->mac.value())});
    }
    const Wake wake = co_await sleep_for(limited, kLookAgain);
    if (wake != Wake::signalled) co_return;
  }
}

}  // namespace

RunResult run_provision(const ProfileInput& input, const Ground& ground, StateDir* state,
                        const ProvisionWish& wish, Desk& desk,
                        const std::function<void(const ProvisionRun&)>& seen) {
  auto provider = reach_provider(input, ground, desk);
  if (!provider) return std::move(provider).error();
  const Locked in{input, wish, **provider, desk, seen};
  CancelScope scope;
  const Context context{&desk.clock(), &scope};
  RunResult result;
  const bool alone = wish.run.value().empty();
  RunId id = alone ? new_run_id(desk.random()) : wish.run;
  desk.display().begin(input.profile);
  Task<RunResult> work = wish.looks_only || !state
                             ? run_with(context, in, nullptr, {})
                             : run_locked(context, in, state->journal(), std::move(id), alone);
  const int signal = desk.drive(into(std::move(work), result), scope);
  if (signal == SIGTERM && result.exit == Exit::interrupted) result.exit = Exit::terminated;
  return result;
}

void search_in_lab(const ProfileInput& input, const Ground& ground, Workspace& space) {
  if (ground.lab.empty()) return;
  const auto access = lab::read_proxmox_access(ground.lab);
  if (!access) return;
  ScanOptions options;
  options.addresses = access->pool;
  for (const NodePlan& plan : input.profile.nodes) options.addresses += "," + plan.address.value();
  space.finder = make_finder(input.profile, options, *space.site);
}

std::optional<RunResult> await_boot(const ProfileInput& input, Workspace& space, Desk& desk) {
  if (!space.finder) return std::nullopt;
  CancelScope scope;
  const Context context{&desk.clock(), &scope};
  const int signal = desk.drive(watch_boot(context, input, space, desk), scope);
  if (signal == SIGTERM) return end_with(Exit::terminated, "terminated").value();
  if (signal != 0) return end_with(Exit::interrupted, "interrupted").value();
  RunResult result;
  for (const NodePlan* plan : silent_nodes(input, space)) {
    result.findings.push_back(
        {Severity::error, "P8", plan->name, "provision",
         fmt::format("VM {} ({}) runs, and no machine with MAC {} answers on port 50000",
                     plan->vmid.value_or(0), plan->name.value(), plan->mac.value()),
         "look at its console in Proxmox: does it boot the Talos image, does it get an address by "
         "DHCP, are bridge and VLAN those of network.node_cidr? Then run the same command again"});
  }
  if (result.findings.empty()) return std::nullopt;
  result.exit = Exit::out_of_time;
  result.verdict = result.findings.front().what;
  return result;
}

}  // namespace ichor
