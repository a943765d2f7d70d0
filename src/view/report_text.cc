#include "view/report_text.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/time.h"
#include "view/cells.h"

namespace ichor {

namespace {

/// The records of one run, in order.
using Run = std::vector<const JournalRecord*>;

std::vector<Run> runs_of(const std::vector<JournalRecord>& records) {
  std::vector<Run> runs;
  for (const JournalRecord& record : records) {
    const auto home = std::find_if(runs.begin(), runs.end(),
                                   [&](const Run& run) { return run.front()->run == record.run; });
    (home == runs.end() ? runs.emplace_back() : *home).push_back(&record);
  }
  return runs;
}

const JournalRecord* find(const Run& run, RecordKind kind) {
  const auto found = std::find_if(
      run.begin(), run.end(), [&](const JournalRecord* record) { return record->kind == kind; });
  return found == run.end() ? nullptr : *found;
}

const JournalRecord* outcome_of(const Run& run, const JournalRecord& intent) {
  const auto found = std::find_if(run.begin(), run.end(), [&](const JournalRecord* record) {
    return record->kind == RecordKind::outcome && record->ref == intent.seq;
  });
  return found == run.end() ? nullptr : *found;
}

std::string spent(std::int64_t from_ms, std::int64_t to_ms) {
  return to_text(std::chrono::milliseconds(std::max<std::int64_t>(to_ms - from_ms, 0)));
}

std::string sent_text(const Run& run, const JournalRecord& intent) {
  const JournalRecord* outcome = outcome_of(run, intent);
  // What goes to the cluster names its object in the key; what goes to a node has a mark there.
  const bool has_object = intent.node.value().empty() && !intent.key.empty();
  const std::string what = has_object ? fmt::format("{} of {}", name_of(intent.call), intent.key)
                                      : std::string(name_of(intent.call));
  if (!outcome) return fmt::format("{}: unknown, the run ended before the answer", what);
  std::string text = fmt::format("{}: {} after {}", what, name_of(outcome->outcome),
                                 spent(intent.wall_ms, outcome->wall_ms));
  if (!outcome->value.empty()) text += fmt::format(" ({})", outcome->value);
  return text;
}

/// Empty for records that are told elsewhere.
std::string said(const Run& run, const JournalRecord& record) {
  switch (record.kind) {
    case RecordKind::run_started:
    case RecordKind::run_ended:
    case RecordKind::outcome: return {};
    case RecordKind::contract_fixed: return fmt::format("contract fixed: {}", record.value);
    case RecordKind::secrets_fixed: return fmt::format("secrets fixed: {:.12}", record.value);
    case RecordKind::identity_bound: return fmt::format("machine bound: {}", record.value);
    case RecordKind::bootstrap_target: return fmt::format("bootstrap target: {}", record.value);
    case RecordKind::intent: return sent_text(run, record);
    case RecordKind::observed:
      return record.value.empty() ? fmt::format("seen: {}", record.key)
                                  : fmt::format("seen: {} = {}", record.key, record.value);
    case RecordKind::node_excluded: return "excluded by the operator";
  }
  return {};
}

std::string verdict_of(const Run& run) {
  const JournalRecord* ended = find(run, RecordKind::run_ended);
  if (!ended) return "did not end: it was killed, or it still runs";
  return fmt::format("exit {}: {}", ended->key, ended->value);
}

auto count_sent(const Run& run) {
  return std::count_if(run.begin(), run.end(), [](const JournalRecord* record) {
    return record->kind == RecordKind::intent;
  });
}

int node_width(const std::vector<JournalRecord>& records) {
  int width = 0;
  for (const JournalRecord& record : records) {
    width = std::max(width, cell_count(clean(record.node.value())));
  }
  return width;
}

}  // namespace

std::string utc_text(std::int64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  if (!gmtime_r(&seconds, &parts)) return fmt::format("{} ms", unix_ms);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}Z", parts);
}

std::vector<std::string> report_lines(std::string_view cluster,
                                      const std::vector<JournalRecord>& records) {
  std::vector<std::string> lines{clean(fmt::format("# Report of {}", cluster))};
  if (records.empty()) lines.emplace_back("\nNothing has been done yet.");
  const int width = node_width(records);
  int number = 0;
  for (const Run& run : runs_of(records)) {
    const std::int64_t began_ms = run.front()->wall_ms;
    lines.emplace_back();
    lines.push_back(fmt::format("## Run {}, {}", ++number, utc_text(began_ms)));
    lines.emplace_back();
    lines.push_back(
        clean(fmt::format("{} It took {} and intended {} changes.", verdict_of(run) + ".",
                          spent(began_ms, run.back()->wall_ms), count_sent(run))));
    lines.emplace_back();
    for (const JournalRecord* record : run) {
      const std::string text = said(run, *record);
      if (text.empty()) continue;
      lines.push_back(fmt::format("    {:>7}  {}  {}", "+" + spent(began_ms, record->wall_ms),
                                  fit(clean(record->node.value()), width), clean(text)));
    }
  }
  return lines;
}

}  // namespace ichor
