#include "engine/ledger.h"

#include "base/mutant.h"

namespace ichor {

namespace {
/// A disk that takes longer than this to commit a row is treated as failed.
constexpr Duration kAppendLimit = std::chrono::seconds(8);
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
  const Context context = context_.under(deaf_).within(kAppendLimit);
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
