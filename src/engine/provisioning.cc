#include "engine/provisioning.h"

#include <fmt/format.h>

#include "async/task_group.h"
#include "engine/run_records.h"
#include "phase/journal_match.h"

namespace ichor {

namespace {

RunResult refused(Finding finding) {
  RunResult result;
  result.exit = Exit::unsafe;
  result.verdict = finding.what;
  result.findings.push_back(std::move(finding));
  return result;
}

RunResult refused(std::string id, std::string where, std::string what, std::string fix) {
  return refused(
      {Severity::error, std::move(id), {}, std::move(where), std::move(what), std::move(fix)});
}

/// Beside what keeps the lease.
Task<RunResult> work_with(Context context, const Provisioning& world, Ledger& ledger,
                          ProvisionFacts facts, const ProvisionWork& work) {
  CancelScope beside_scope(*context.scope);
  ProvisionRun run({world.clock, world.provider, world.events, &ledger}, world.profile, world.plan,
                   std::move(facts));
  TaskGroup beside(context);
  beside.spawn(ledger.keep_lease(context.under(beside_scope)));
  RunResult result = co_await work(run, context);
  beside_scope.cancel();
  co_await beside.join();
  co_return result;
}

Task<RunResult> recorded(Context context, const Provisioning& world, const ProvisionTurn& turn,
                         Ledger& ledger, const ProvisionWork& work) {
  const auto records = co_await world.journal.read(context);
  const auto loaded = co_await ledger.load();
  if (!records || !loaded) {
    co_return refused("L5", "journal", records ? loaded.error().message : records.error().message,
                      "the journal is damaged; nothing was touched. Restore it from a copy");
  }
  if (auto other = journal_of_another(ledger.facts(), world.profile.name)) {
    co_return refused(*std::move(other));
  }
  ProvisionFacts facts;
  for (const JournalRecord& record : *records) facts.fold(record);
  JournalRecord started;
  started.kind = RecordKind::run_started;
  started.key = world.profile.name;
  started.value = to_hex(Digest{});
  const auto kept = co_await ledger.append(std::move(started));
  if (!kept) {
    co_return refused(finding_of(kept.error(), "journal", "run the same command again"));
  }
  RunResult result = co_await work_with(context, world, ledger, std::move(facts), work);
  const bool ends = !turn.goes_on || result.exit != Exit::done;
  if (ends) co_await write_end(ledger, result);
  co_return result;
}

}  // namespace

Task<RunResult> provision(Context context, const Provisioning& world, ProvisionTurn turn,
                          const RunLock& lock, const ProvisionWork& work) {
  Ledger ledger(context, world.journal, turn.run, lock.lease());
  co_return co_await recorded(context, world, turn, ledger, work);
}

}  // namespace ichor
