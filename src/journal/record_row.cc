#include "journal/record_row.h"

#include <string>

#include "model/provider_call.h"

namespace ichor {

namespace {

std::optional<RecordKind> kind_from(std::int64_t number) {
  if (number != static_cast<int>(number)) return std::nullopt;
  const auto kind = static_cast<RecordKind>(number);
  switch (kind) {
    case RecordKind::run_started:
    case RecordKind::secrets_fixed:
    case RecordKind::identity_bound:
    case RecordKind::bootstrap_target:
    case RecordKind::intent:
    case RecordKind::outcome:
    case RecordKind::observed:
    case RecordKind::run_ended:
    case RecordKind::node_excluded:
    case RecordKind::contract_fixed: return kind;
  }
  return std::nullopt;
}

std::optional<Call> call_from(std::string_view name) {
  for (int number = 0; number < kCallCount + kProviderCallCount; ++number) {
    const auto call = static_cast<Call>(number);
    if (name_of(call) == name) return call;
  }
  return std::nullopt;
}

std::optional<OutcomeKind> outcome_from(std::string_view name) {
  for (const auto kind : {OutcomeKind::done, OutcomeKind::refused, OutcomeKind::unknown}) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace

void bind_record(Statement& insert, const JournalRecord& record, std::uint32_t chain) {
  insert.bind(static_cast<std::int64_t>(record.seq))
      .bind(static_cast<std::int64_t>(record.kind))
      .bind(record.run.value())
      .bind(record.node.value())
      .bind(name_of(record.call))
      .bind(static_cast<std::int64_t>(record.ref))
      .bind(name_of(record.outcome))
      .bind(record.key)
      .bind(record.value)
      .bind(record.wall_ms)
      .bind(std::int64_t{chain});
}

std::optional<StoredRecord> decode_record(const Statement& row) {
  const auto kind = kind_from(row.integer(1));
  const auto call = call_from(row.text(4));
  const auto outcome = outcome_from(row.text(6));
  if (!kind || !call || !outcome) return std::nullopt;
  StoredRecord stored;
  stored.record.seq = static_cast<std::uint64_t>(row.integer(0));
  stored.record.kind = *kind;
  stored.record.run = RunId(row.text(2));
  stored.record.node = NodeName(row.text(3));
  stored.record.call = *call;
  stored.record.ref = static_cast<std::uint64_t>(row.integer(5));
  stored.record.outcome = *outcome;
  stored.record.key = row.text(7);
  stored.record.value = row.text(8);
  stored.record.wall_ms = row.integer(9);
  stored.chain = row.integer(10);
  return stored;
}

}  // namespace ichor
