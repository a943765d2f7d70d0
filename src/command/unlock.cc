#include <fmt/format.h>

#include "command/commands.h"
#include "command/finish.h"
#include "command/profile_input.h"
#include "phase/ledger.h"

namespace ichor {

namespace {

Task<void> append_into(Ledger& ledger, JournalRecord record, Result<std::uint64_t>& result) {
  result = co_await ledger.append(std::move(record));
}

/// Keeps in the journal whose lock was broken, so that `ichor report` shows it.
Result<void> record_unlock(Journal& journal, const LockOwner& before, Desk& desk) {
  if (auto locked = journal.lock(desk.owner()); !locked) return locked;
  const auto records = journal.read();
  if (!records) return tl::unexpected(records.error());
  // It is the end of the run that wrote last.
  const RunId run = records->empty() ? RunId("unlock") : records->back().run;
  CancelScope scope;
  Ledger ledger(Context{&desk.clock(), &scope}, journal, run);
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.key = std::string(kUnlockedKey);
  record.value = fmt::format("nonce {} of process {} on {}", before.nonce, before.pid, before.host);
  Result<std::uint64_t> appended = 0;
  desk.drive(append_into(ledger, std::move(record), appended), scope);
  journal.unlock();
  if (!appended) return tl::unexpected(appended.error());
  return {};
}

}  // namespace

Exit run(const UnlockRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  auto state = desk.open_state(state_path(common, *input), Desk::Missing::refuse);
  if (!state) return finish(end_with(state.error()).value(), desk);
  const auto holder = (*state)->journal().holder();
  const bool named = holder && holder->nonce == request.nonce;
  if (named && !request.force && (*state)->journal().holder_runs_here()) {
    RunResult refused =
        end_with(Exit::unsafe,
                 fmt::format("process {} holds the lock and runs on this machine", holder->pid))
            .value();
    refused.findings.push_back(
        {Severity::error,
         "L7",
         {},
         "lock",
         refused.verdict,
         fmt::format("wait for it, or end it: `kill {}`. If it hangs, `ichor unlock --force {}` "
                     "takes the lock from it: it writes and sends nothing more",
                     holder->pid, request.nonce)});
    return finish(summary_of(*input, std::move(refused)), desk);
  }
  const auto broken = (*state)->journal().break_lock(request.nonce);
  if (!broken) return finish(end_with(broken.error()).value(), desk);
  if (const auto kept = record_unlock((*state)->journal(), *holder, desk); !kept) {
    return finish(end_with(Exit::failed,
                           fmt::format("the lock of {} is broken, but the journal does not say so: "
                                       "{}",
                                       input->profile.name, kept.error().message))
                      .value(),
                  desk);
  }
  RunResult result;
  result.exit = Exit::done;
  result.verdict = fmt::format("the lock of {} is broken", input->profile.name);
  return finish(summary_of(*input, std::move(result)), desk);
}

}  // namespace ichor
