#include "view/journal_runs.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/time.h"
#include "model/run_record.h"

namespace ichor {

std::vector<JournalRun> runs_of(const std::vector<JournalRecord>& records) {
  std::vector<JournalRun> runs;
  for (const JournalRecord& record : records) {
    const auto home = std::find_if(runs.begin(), runs.end(), [&](const JournalRun& run) {
      return run.front()->run == record.run;
    });
    (home == runs.end() ? runs.emplace_back() : *home).push_back(&record);
  }
  return runs;
}

const JournalRecord* find_record(const JournalRun& run, RecordKind kind) {
  const auto found = std::find_if(
      run.begin(), run.end(), [&](const JournalRecord* record) { return record->kind == kind; });
  return found == run.end() ? nullptr : *found;
}

const JournalRecord* outcome_of(const JournalRun& run, const JournalRecord& intent) {
  const auto found = std::find_if(run.begin(), run.end(), [&](const JournalRecord* record) {
    return record->kind == RecordKind::outcome && record->ref == intent.seq;
  });
  return found == run.end() ? nullptr : *found;
}

std::string spent_text(std::int64_t from_ms, std::int64_t to_ms) {
  return to_text(std::chrono::milliseconds(std::max<std::int64_t>(to_ms - from_ms, 0)));
}

std::string action_text(const JournalRecord& intent) {
  // What goes to the cluster names its object in the key; what goes to a node has a mark there.
  const bool has_object = intent.node.value().empty() && !intent.key.empty();
  return has_object ? fmt::format("{} of {}", name_of(intent.call), intent.key)
                    : std::string(name_of(intent.call));
}

namespace {

std::string sent_text(const JournalRun& run, const JournalRecord& intent) {
  const JournalRecord* outcome = outcome_of(run, intent);
  const std::string what = action_text(intent);
  if (!outcome) return fmt::format("{}: unknown, the run ended before the answer", what);
  std::string text = fmt::format("{}: {} after {}", what, name_of(outcome->outcome),
                                 spent_text(intent.wall_ms, outcome->wall_ms));
  if (!outcome->value.empty()) text += fmt::format(" ({})", outcome->value);
  return text;
}

std::string step_text(const StepFact& fact) {
  std::string text = fmt::format("{}: {} in {}", fact.step, fact.end, to_text(fact.took));
  if (fact.retries > 0) text += fmt::format(" after {} retries", fact.retries);
  return text;
}

}  // namespace

std::string record_text(const JournalRun& run, const JournalRecord& record) {
  switch (record.kind) {
    case RecordKind::run_started:
    case RecordKind::run_ended:
    case RecordKind::outcome: return {};
    case RecordKind::contract_fixed: return fmt::format("contract recorded: {}", record.value);
    case RecordKind::secrets_fixed: return fmt::format("secrets recorded: {:.12}", record.value);
    case RecordKind::identity_bound: return fmt::format("machine bound: {}", record.value);
    case RecordKind::bootstrap_target: return fmt::format("bootstrap target: {}", record.value);
    case RecordKind::intent: return sent_text(run, record);
    case RecordKind::observed:
      if (is_step(record)) return step_text(step_in(record));
      return record.value.empty() ? fmt::format("seen: {}", record.key)
                                  : fmt::format("seen: {} = {}", record.key, record.value);
    case RecordKind::node_excluded: return "excluded by the operator";
  }
  return {};
}

std::string live_text(const JournalRun& run, const JournalRecord& record) {
  if (record.kind == RecordKind::intent) return action_text(record) + " is sent";
  if (record.kind != RecordKind::outcome) return record_text(run, record);
  for (const JournalRecord* intent : run) {
    if (intent->seq == record.ref) return record_text(run, *intent);
  }
  return {};
}

std::string verdict_text(const JournalRun& run) {
  const JournalRecord* ended = find_record(run, RecordKind::run_ended);
  if (!ended) return "did not end: it was killed, or it still runs";
  return fmt::format("exit {}: {}", ended->key, ended->value);
}

std::string utc_text(std::int64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  if (!gmtime_r(&seconds, &parts)) return fmt::format("{} ms", unix_ms);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}Z", parts);
}

}  // namespace ichor
