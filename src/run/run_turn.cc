#include "run/run_turn.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <optional>

#include "engine/run_records.h"

namespace ichor {

namespace {

Task<void> take_into(Context context, Journal& journal, LockOwner owner,
                     std::optional<Result<RunLock>>& taken) {
  taken.emplace(co_await RunLock::take(context, journal, std::move(owner)));
}

Task<void> end_in(Context context, Journal& journal, const RunTurn& turn, std::string cluster,
                  const RunResult& result) {
  Ledger ledger(context, journal, turn.id, turn.lock.lease());
  const auto records = co_await journal.read(context);
  const auto loaded = co_await ledger.load();
  if (!records || !loaded) co_return;
  const bool started = std::any_of(records->begin(), records->end(), [&](const auto& record) {
    return record.run == turn.id && record.kind == RecordKind::run_started;
  });
  if (!started) {
    JournalRecord start;
    start.kind = RecordKind::run_started;
    start.key = std::move(cluster);
    start.value = to_hex(Digest{});
    co_await ledger.append(std::move(start));
  }
  co_await write_end(ledger, result);
}

}  // namespace

RunId new_run_id(Random& random) {
  return RunId(fmt::format("{:016x}{:016x}", random.next(), random.next()));
}

OrEnd<RunTurn> take_turn(Journal& journal, Host& host) {
  CancelScope scope;
  std::optional<Result<RunLock>> taken;
  const Context context{&host.loop.clock(), &scope};
  const int signal =
      host.loop.drive(take_into(context, journal, host.environment.owner(), taken), scope);
  if (signal == SIGTERM) return end_with(Exit::terminated, "terminated");
  if (signal != 0) return end_with(Exit::interrupted, "interrupted");
  if (!*taken) return tl::unexpected(refused_by_lock(taken->error()));
  return RunTurn{new_run_id(host.random), **std::move(taken)};
}

void end_turn(Journal& journal, const RunTurn& turn, const std::string& cluster,
              const RunResult& result, Host& host) {
  CancelScope scope;
  host.loop.drive(end_in({&host.loop.clock(), &scope}, journal, turn, cluster, result), scope);
}

}  // namespace ichor
