#include "phase/ledger.h"

#include <algorithm>
#include <fmt/format.h>

#include "async/signal.h"

namespace ichor {

namespace {
/// A disk that takes longer than this to commit a row is treated as failed.
constexpr Duration kAppendLimit = std::chrono::seconds(5);
/// What a run may still record after it was asked to stop, all of it together: with the append that
/// was under way then it is gone within ten seconds.
constexpr Duration kFarewellLimit = std::chrono::seconds(4);
}  // namespace

Task<Result<void>> Ledger::load() {
  auto records = co_await journal_.read(context_);
  if (!records) co_return forward_error(records);
  for (const JournalRecord& record : *records) facts_.fold(record, context_.now());
  co_return Result<void>();
}

Task<Result<void>> Ledger::confirm_lease(Context context, LookTime asked) {
  // A pause of this process, or of its machine, may have come after the store took the record.
  while (asked.age(context) > lease_.length / 2) {
    asked = LookTime::now(context);
    auto renewed = co_await journal_.renew(context.within(kAppendLimit));
    if (!renewed) co_return renewed;
  }
  co_return Result<void>();
}

Task<void> Ledger::keep_lease(Context context) {
  if (!may_run_out()) co_return;
  while (!broken()) {
    const Wake wake = co_await sleep_for(context, lease_.length / 3);
    if (wake != Wake::signalled) co_return;
    const auto renewed = co_await journal_.renew(context.within(kAppendLimit));
    // What cannot be reached now may be before the lease has run out.
    if (!renewed && renewed.error().code == Errc::locked) trouble_ = renewed.error();
  }
}

Task<Result<std::uint64_t>> Ledger::append(JournalRecord record) {
  if (broken()) co_return tl::unexpected(*trouble_);
  record.run = run_;
  record.wall_ms = context_.clock->wall().unix_ms;
  if (context_.cancelled() && leave_by_ == kNever) {
    leave_by_ = later(context_.now(), kFarewellLimit);
  }
  Context context = context_.under(deaf_).within(kAppendLimit);
  context.deadline = std::min(context.deadline, leave_by_);
  const LookTime asked = LookTime::now(context);
  auto seq = co_await journal_.append(context, record);
  if (!seq) {
    trouble_ = seq.error();
    co_return seq;
  }
  record.seq = *seq;
  facts_.fold(record, context_.now());
  if (record.kind != RecordKind::intent || !may_run_out()) co_return seq;
  const auto confirmed = co_await confirm_lease(context_.under(deaf_), asked);
  if (confirmed) co_return seq;
  trouble_ = confirmed.error();
  co_return forward_error(confirmed);
}

Finding finding_of(const Error& trouble, std::string where, std::string_view again) {
  std::string_view first = "free the disk of the state folder";
  if (trouble.code == Errc::locked) {
    first = "wait for the run that holds the lock";
  } else if (trouble.fault == FaultId("L4")) {
    first = "look at the disk with `dmesg`, or move the state folder to a good one";
  } else if (trouble.code == Errc::out_of_time) {
    first = "find out what keeps the disk of the state folder busy";
  }
  const std::string id(trouble.fault.empty() ? "L3" : trouble.fault.text());
  return {Severity::error,
          id,
          {},
          std::move(where),
          trouble.message,
          fmt::format("nothing more was sent; {}, then {}", first, again)};
}

}  // namespace ichor
