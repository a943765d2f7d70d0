#include <fmt/format.h>

#include "cluster/ask_journal.h"
#include "cluster/journal_input.h"
#include "command/commands.h"
#include "run/finish.h"
#include "view/run_history.h"

namespace ichor {

namespace {

/// So many digits tell the runs of a cluster apart.
constexpr std::size_t kShortId = 8;

Listing run_listing(const std::vector<RunEntry>& entries, bool for_people) {
  Listing listing{"run",
                  {{"number", "RUN"},
                   {"short", "ID"},
                   {"began", "WHEN"},
                   {"command", "COMMAND"},
                   {"exit", "EXIT"},
                   {"took", "TOOK"},
                   {"mutations", "CHANGES"},
                   {"verdict", "VERDICT", true}},
                  {}};
  for (const RunEntry& entry : entries) {
    nlohmann::ordered_json row;
    row["number"] = entry.number;
    if (for_people) row["short"] = entry.id.substr(0, kShortId);
    row["id"] = entry.id;
    row["began"] = utc_text(entry.began_ms);
    row["command"] = entry.command.empty() && for_people ? "-" : entry.command;
    row["exit"] = entry.exit ? nlohmann::ordered_json(*entry.exit) : nullptr;
    if (for_people) {
      row["took"] = spent_text(0, entry.took_ms);
      if (!entry.exit) row["exit"] = "none";
    } else {
      row["seconds"] = static_cast<double>(entry.took_ms) / 1000.0;
    }
    row["mutations"] = entry.mutations;
    row["verdict"] = entry.verdict;
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

OrEnd<std::size_t> wanted_run(const std::vector<JournalRun>& runs, const std::string& text) {
  if (const auto found = find_run(runs, text)) return *found;
  return tl::unexpected(no_such_run(text, runs.size()));
}

}  // namespace

Exit run(const HistoryRequest&, const CommonOptions& common, Host& host) {
  const auto journal = open_journal(common, host);
  if (!journal) return finish(journal.error(), host.terminal);
  const auto records = read_journal(journal->state->journal(), host.loop);
  if (!records) return finish(records.error(), host.terminal);
  const std::vector<RunEntry> entries = run_entries(runs_of(*records));
  host.terminal.display().show(run_listing(entries, !for_programs(common.output)));
  RunResult result;
  result.exit = Exit::done;
  result.verdict = fmt::format("{}: {} {}", journal->input.profile.name, entries.size(),
                               entries.size() == 1 ? "run" : "runs");
  return finish(summary_of(journal->input, std::move(result)), host.terminal);
}

Exit run(const HistoryDiffRequest& request, const CommonOptions& common, Host& host) {
  const auto journal = open_journal(common, host);
  if (!journal) return finish(journal.error(), host.terminal);
  const auto records = read_journal(journal->state->journal(), host.loop);
  if (!records) return finish(records.error(), host.terminal);
  const std::vector<JournalRun> runs = runs_of(*records);
  const auto before = wanted_run(runs, request.before);
  if (!before) return finish(before.error(), host.terminal);
  const auto after = wanted_run(runs, request.after);
  if (!after) return finish(after.error(), host.terminal);
  Listing listing{"difference",
                  {{"what", "WHAT"},
                   {"before", fmt::format("RUN {}", *before + 1)},
                   {"after", fmt::format("RUN {}", *after + 1)}},
                  {}};
  for (const RunDifference& one : run_differences(runs, *before, *after)) {
    nlohmann::ordered_json row;
    row["what"] = one.what;
    row["before"] = one.before;
    row["after"] = one.after;
    listing.rows.push_back(std::move(row));
  }
  const std::size_t count = listing.rows.size();
  if (count > 0) host.terminal.display().show(listing);
  RunResult result;
  result.exit = Exit::done;
  result.verdict =
      count == 0 ? fmt::format("nothing differs between run {} and run {}", *before + 1, *after + 1)
                 : fmt::format("{} differences", count);
  return finish(summary_of(journal->input, std::move(result)), host.terminal);
}

}  // namespace ichor
