#include <fmt/format.h>

#include "cluster/ask_journal.h"
#include "cluster/profile_input.h"
#include "command/commands.h"
#include "engine/run_lock.h"
#include "phase/ledger.h"
#include "run/finish.h"

namespace ichor {

namespace {

/// Keeps in the journal whose lock was broken, so that `ichor report` shows it.
Task<Result<std::uint64_t>> record_unlock(Context context, Journal& journal, LockOwner before,
                                          LockOwner owner) {
  const auto lock = co_await RunLock::take(context, journal, std::move(owner));
  if (!lock) co_return forward_error(lock);
  const auto records = co_await journal.read(context);
  if (!records) co_return forward_error(records);
  // It is the end of the run that wrote last.
  const RunId run = records->empty() ? RunId("unlock") : records->back().run;
  Ledger ledger(context, journal, run, lock->lease());
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.key = std::string(kUnlockedKey);
  record.value = fmt::format("nonce {} of process {} on {}", before.nonce, before.pid, before.host);
  co_return co_await ledger.append(std::move(record));
}

}  // namespace

Exit run(const UnlockRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  auto state = host.states.open_state(state_path(common, *input), ClusterStates::Missing::refuse);
  if (!state) return finish(end_with(state.error()).value(), host.terminal);
  Journal& journal = (*state)->journal();
  const auto seen =
      ask_journal(host.loop, [&](Context context) { return journal.holder(context); });
  if (!seen) return finish(seen.error(), host.terminal);
  const LockOwner holder = *seen ? (*seen)->owner : LockOwner{};
  const bool named = *seen && holder.nonce == request.nonce;
  if (named && !request.force && (*seen)->runs_here) {
    RunResult refused =
        end_with(Exit::unsafe,
                 fmt::format("process {} holds the lock and runs on this machine", holder.pid))
            .value();
    refused.findings.push_back(
        {Severity::error,
         "L7",
         {},
         "lock",
         refused.verdict,
         fmt::format("wait for it, or end it: `kill {}`. If it hangs, `ichor unlock --force {}` "
                     "takes the lock from it: it writes and sends nothing more",
                     holder.pid, request.nonce)});
    return finish(summary_of(*input, std::move(refused)), host.terminal);
  }
  const auto broken = ask_journal(
      host.loop, [&](Context context) { return journal.break_lock(context, request.nonce); });
  if (!broken) return finish(broken.error(), host.terminal);
  const auto kept = ask_journal(host.loop, [&](Context context) {
    return record_unlock(context, journal, holder, host.environment.owner());
  });
  if (!kept) {
    return finish(end_with(Exit::failed,
                           fmt::format("the lock of {} is broken, but the journal does not say so: "
                                       "{}",
                                       input->profile.name, kept.error().verdict))
                      .value(),
                  host.terminal);
  }
  RunResult result;
  result.exit = Exit::done;
  result.verdict = fmt::format("the lock of {} is broken", input->profile.name);
  return finish(summary_of(*input, std::move(result)), host.terminal);
}

}  // namespace ichor
