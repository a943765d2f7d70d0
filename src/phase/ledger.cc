#include "phase/ledger.h"

#include <algorithm>

#include "base/mutant.h"

namespace ichor {

namespace {
/// A disk that takes longer than this to commit a row is treated as failed.
constexpr Duration kAppendLimit = std::chrono::seconds(5);
/// What a run may still record after it was told to stop, all of it together: with the append that
/// was under way then it is gone within ten seconds.
constexpr Duration kFarewellLimit = std::chrono::seconds(4);
}  // namespace

Result<void> Ledger::load() {
  auto records = journal_.read();
  if (!records) return tl::unexpected(std::move(records).error());
  if (mutant("forgets-the-journal")) return {};
  for (const JournalRecord& record : *records) facts_.fold(record, context_.now());
  return {};
}

Task<Result<std::uint64_t>> Ledger::append(JournalRecord record) {
  if (broken()) co_return fail(Errc::io, trouble_);
  record.run = run_;
  record.wall_ms = context_.clock->wall().unix_ms;
  if (context_.cancelled() && leave_by_ == kNever) {
    leave_by_ = later(context_.now(), kFarewellLimit);
  }
  Context context = context_.under(deaf_).within(kAppendLimit);
  context.deadline = std::min(context.deadline, leave_by_);
  auto seq = co_await journal_.append(context, record);
  if (!seq) {
    if (mutant("journal-error-ignored")) co_return std::uint64_t{1};
    trouble_ = seq.error().message;
    co_return seq;
  }
  record.seq = *seq;
  facts_.fold(record, context_.now());
  co_return seq;
}

}  // namespace ichor
