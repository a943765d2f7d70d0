#include "view/report_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "report/journal_runs.h"
#include "view/cells.h"

namespace ichor {

namespace {

auto count_sent(const JournalRun& run) {
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

std::vector<std::string> report_lines(std::string_view cluster,
                                      const std::vector<JournalRecord>& records) {
  std::vector<std::string> lines{clean(fmt::format("# Report of {}", cluster))};
  if (records.empty()) lines.emplace_back("\nNothing has been done yet.");
  const int width = node_width(records);
  int number = 0;
  for (const JournalRun& run : runs_of(records)) {
    const std::int64_t began_ms = run.front()->wall_ms;
    lines.emplace_back();
    lines.push_back(fmt::format("## Run {}, {}", ++number, utc_text(began_ms)));
    lines.emplace_back();
    lines.push_back(
        clean(fmt::format("{} It took {} and intended {} changes.", verdict_text(run) + ".",
                          spent_text(began_ms, run.back()->wall_ms), count_sent(run))));
    lines.emplace_back();
    for (const JournalRecord* record : run) {
      const std::string text = record_text(run, *record);
      if (text.empty()) continue;
      lines.push_back(fmt::format("    {:>7}  {}  {}", "+" + spent_text(began_ms, record->wall_ms),
                                  fit(clean(record->node.value()), width), clean(text)));
    }
  }
  return lines;
}

}  // namespace ichor
